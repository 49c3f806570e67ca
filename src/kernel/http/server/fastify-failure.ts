// Converts what Fastify and Node throw while reading a request into failures.
import { Failure } from '../../failure.ts';
import { diskFull, isDiskFull } from '../../storage/storage-failure.ts';

export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code, statusCode, message, reason } = error as {
    code?: string;
    statusCode?: number;
    message?: string;
    reason?: string;
  };
  if (isDiskFull(error)) return diskFull(error);
  if (code?.startsWith('FST_ERR_CTP_') || code === 'FST_ERR_BAD_URL') {
    const part = code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? 'content-type' : 'request';
    return new Failure('malformed', message ?? 'The request cannot be read', { part });
  }
  if (code === 'ECONNRESET')
    return new Failure('malformed', 'The caller went away before the body was there');
  if (code === 'FST_ERR_REQUEST_TIMEOUT' || code === 'ERR_HTTP_REQUEST_TIMEOUT' || statusCode === 408)
    return new Failure('timeout', 'The request took too long');
  if (code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new Failure('too-large', 'The extensions of a chunk are too large');
  }
  if (code?.startsWith('HPE_')) {
    return new Failure('malformed', `The request is not valid HTTP: ${reason ?? message}`, {
      part: 'request',
    });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Failure('malformed', message ?? 'The request cannot be read');
  }
  return new Failure(
    'internal',
    'Something went wrong on the server. Quote the id of this call when you report it.',
    { cause: error },
  );
}

export function headTooLarge(): Failure {
  return new Failure('headers-too-large', 'The request line and the headers are too large');
}
