// A self-signed certificate for 127.0.0.1, built without any program: a minimal X.509 in DER.
import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes key and certificate into the folder and returns their paths. */
export function writeCertificate(folder: string): { tlsCert: string; tlsKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from('localhost')))));
  const signed = sequence(
    tagged(0xa0, integer(2)), // version 3
    integer(1),
    algorithm,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeNames())),
  );
  const signature = sign('sha256', signed, privateKey);
  const certificate = sequence(signed, algorithm, tagged(0x03, Buffer.from([0]), signature));
  const tlsCert = join(folder, 'cert.pem');
  const tlsKey = join(folder, 'key.pem');
  const base64 = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n');
  writeFileSync(tlsCert, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
  writeFileSync(tlsKey, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { tlsCert, tlsKey };
}

function alternativeNames(): Buffer {
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])));
  return sequence(objectId('551d11'), tagged(0x04, names));
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function set(...parts: Buffer[]): Buffer {
  return tagged(0x31, ...parts);
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function time(text: string): Buffer {
  return tagged(0x17, Buffer.from(text));
}
