// The files of a repository for other APIs: which URLs are those of the server itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryNameIn } from './open-source.ts';

const nameIn = (url: string, ...own: string[]) => repositoryNameIn(new URL(url), own);

test('a repository is below the public URL or the address where the server listens', () => {
  const own = ['https://box.example.org/host', 'http://127.0.0.1:8080'];
  assert.equal(nameIn('https://box.example.org/host/ann/shop.git', ...own), 'ann/shop');
  assert.equal(nameIn('https://BOX.example.org:443/host/ann/shop/', ...own), 'ann/shop');
  assert.equal(nameIn('http://localhost:8080/ann/shop', ...own), 'ann/shop');
  assert.equal(nameIn('http://[::1]:8080/ann/shop', ...own), 'ann/shop');
  for (const other of [
    'https://box.example.org/ann/shop',
    'https://box.example.org.evil.com/host/ann/shop',
    'http://box.example.org/host/ann/shop',
    'http://localhost:8081/ann/shop',
    'http://10.0.0.1:8080/ann/shop',
    'http://localhost:8080/ann',
    'http://localhost:8080/repos/ann/shop',
  ])
    assert.equal(nameIn(other, ...own), undefined, other);
});

test('a server that listens on all addresses has the loopback ones too', () => {
  assert.equal(nameIn('http://127.0.0.1:8080/ann/shop', 'http://0.0.0.0:8080'), 'ann/shop');
  assert.equal(nameIn('http://203.0.113.9:8080/ann/shop', 'http://0.0.0.0:8080'), undefined);
});
