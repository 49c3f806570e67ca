// Tests of the files for HTTPS: those that browsers would refuse are refused at start.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeCertificate } from '../../test/certificate.ts';
import { atEndOfFile } from '../../test/cleanup.ts';
import { readTlsFiles } from './tls-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
const NOW = Date.UTC(2030, 0, 1);

test('a certificate with its key is taken', () => {
  const { tlsCert, tlsKey } = writeCertificate(folder);
  const { cert, key, endsAt } = readTlsFiles(tlsCert, tlsKey, NOW);
  assert.match(cert, /CERTIFICATE/);
  assert.match(key, /PRIVATE KEY/);
  assert.equal(endsAt, Date.UTC(2049, 11, 31, 23, 59, 59));
});

test('a certificate that has ended, or has not begun, is refused with the day', () => {
  const { tlsCert, tlsKey } = writeCertificate(folder);
  assert.throws(
    () => readTlsFiles(tlsCert, tlsKey, Date.UTC(2050, 0, 1)),
    /ended on Dec 31 .* 2049 GMT\. Renew it/,
  );
  assert.throws(
    () => readTlsFiles(tlsCert, tlsKey, Date.UTC(2019, 0, 1)),
    /begins on Jan +1 .* 2020 GMT\. Check the clock/,
  );
});

test('a key of another certificate, and files that are none, are refused by their names', () => {
  const { tlsCert, tlsKey } = writeCertificate(folder);
  const other = join(folder, 'other');
  mkdirSync(other);
  const { tlsKey: otherKey } = writeCertificate(other);
  const text = join(folder, 'text.pem');
  writeFileSync(text, 'no PEM');
  assert.throws(
    () => readTlsFiles(tlsCert, otherKey, NOW),
    /does not belong to the certificate in .*cert\.pem/,
  );
  assert.throws(() => readTlsFiles(text, tlsKey, NOW), /text\.pem of --tls-cert is no certificate in PEM\./);
  assert.throws(() => readTlsFiles(tlsCert, text, NOW), /text\.pem of --tls-key is no private key in PEM/);
  assert.throws(() => readTlsFiles(join(folder, 'none'), tlsKey, NOW), /cannot be read/);
});
