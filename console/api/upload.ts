// Sends a file, as a form or as it is. Only XMLHttpRequest says how much of it has been sent.
import { logCall } from './call-log.ts';
import { headersOf, urlOf, type Call } from './call.ts';
import { ApiError, unreachable } from './error.ts';
import { readSecret, SESSION_HEADER } from './session.ts';

export interface Upload {
  call: Call;
  /** The file itself is sent with the content type of the call. */
  form: FormData | Blob;
  /** Bytes that were sent, of all. */
  onProgress: (sent: number, whole: number) => void;
  signal: AbortSignal;
}

/** Returns the header `Location` of the reply, where it has one. */
export async function upload({ call, form, onProgress, signal }: Upload): Promise<string | undefined> {
  const end = logCall(call);
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.open(call.method ?? 'POST', urlOf(call));
  request.setRequestHeader(SESSION_HEADER, readSecret());
  for (const [name, value] of Object.entries(headersOf(call))) request.setRequestHeader(name, value);
  if (call.contentType !== undefined) request.setRequestHeader('content-type', call.contentType);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total));
  request.addEventListener('load', () => resolve());
  request.addEventListener('error', () => reject(unreachable()));
  request.addEventListener('abort', () => reject(new DOMException('Stopped', 'AbortError')));
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.send(form);
  try {
    await promise;
  } catch (error) {
    end({ status: 0 });
    throw error;
  }
  const { status } = request;
  end({ status });
  if (status >= 200 && status < 300) return request.getResponseHeader('location') ?? undefined;
  const requestId = request.getResponseHeader('x-request-id');
  throw new ApiError(
    status,
    parse(request.responseText),
    new Headers(requestId === null ? {} : { 'x-request-id': requestId }),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
