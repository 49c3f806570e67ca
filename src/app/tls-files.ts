// Reads the certificate and the key for HTTPS: what browsers would refuse is an error of the start, with what to do.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure } from '../kernel/failure.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';

export interface TlsFiles {
  cert: string;
  key: string;
  /** When the certificate ends. */
  endsAt: number;
}

export function readTlsFiles(certPath: string, keyPath: string, now: number): TlsFiles {
  const [cert, key] = [readPem(certPath), readPem(keyPath)];
  const certificate = orRefuse(
    () => new X509Certificate(cert),
    `The file ${certPath} of --tls-cert is no certificate in PEM.`,
  );
  const privateKey = orRefuse(
    () => createPrivateKey(key),
    `The file ${keyPath} of --tls-key is no private key in PEM without a password.`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Failure(
      'invalid',
      `The key in ${keyPath} does not belong to the certificate in ${certPath}. The server's own certificate must be the first in its file.`,
    );
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) <= now)
    throw new Failure(
      'invalid',
      `The certificate in ${certPath} ended on ${validTo}. Renew it, and start again.`,
    );
  if (Date.parse(validFrom) > now)
    throw new Failure(
      'invalid',
      `The certificate in ${certPath} begins on ${validFrom}. Check the clock of this machine, or take another certificate.`,
    );
  return { cert, key, endsAt: Date.parse(validTo) };
}

export function watchCertificate(metrics: Metrics, { endsAt }: TlsFiles): void {
  metrics.watch({
    name: 'certificate_end_timestamp_seconds',
    help: 'When the certificate for HTTPS ends, in seconds of the epoch',
    read: () => endsAt / 1000,
  });
}

function orRefuse<T>(work: () => T, message: string): T {
  try {
    return work();
  } catch (error) {
    throw new Failure('invalid', message, { cause: error });
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Failure('invalid', `The file ${path} for HTTPS cannot be read: ${(error as Error).message}`);
  }
}
