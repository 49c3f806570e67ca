// Pages of the server for people with browsers: HTML at a path, and the forms that are sent to it. Errors are pages too.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiHandlers } from '../api-router.ts';
import { checkHead } from '../server/bad-requests.ts';
import { collectBody } from '../body/body.ts';
import { Failure } from '../../failure.ts';
import { anonymousAt } from '../../identity/caller.ts';
import type { Kernel } from '../../kernel.ts';
import type { RouteShape } from '../route.ts';
import { showErrorPage, showShell } from './session-pages.ts';

export interface PageRoute {
  method: 'GET' | 'POST';
  /** With parameters in braces. Where the API has the same path, those who ask for HTML get the page. */
  path: string;
  /** What it throws is shown as a page. */
  handle(request: PageRequest, reply: FastifyReply, kernel: Kernel): unknown;
}

export interface PageRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: IncomingHttpHeaders;
  /** Of the visitor. */
  address: string;
  /** Those of the path. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Empty where nothing was posted. */
  form: URLSearchParams;
}

const FORM_BYTES = 256 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Clients of an API ask for JSON, or for anything. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

export function pageHandlers(page: PageRoute, kernel: Kernel): ApiHandlers & { shape: RouteShape } {
  const { method, path } = page;
  return {
    shape: { id: `page ${path}`, method, path, summary: 'A page', access: 'anyone' },
    onRequest(request, _reply, done) {
      try {
        checkHead(request.raw);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    async handle(request, reply) {
      if (await showShell(request, reply, kernel)) return reply;
      const { url, headers, ip: address } = request;
      const start = url.indexOf('?');
      const query = new URLSearchParams(start === -1 ? '' : url.slice(start));
      const form = method === 'POST' ? await readForm(request, reply, kernel) : new URLSearchParams();
      const { params } = request.match!;
      return await page.handle({ method, url, headers, address, params, query, form }, reply, kernel);
    },
    onError(error, request, reply) {
      // Browsers read the error only after they have sent the whole form.
      request.raw.resume();
      showErrorPage(reply, error, kernel, path);
    },
  };
}

async function readForm(
  { raw, ip }: FastifyRequest,
  reply: FastifyReply,
  { bodyMemory }: Kernel,
): Promise<URLSearchParams> {
  const [type] = (raw.headers['content-type'] ?? FORM_TYPE).split(';', 1);
  if (type!.trim().toLowerCase() !== FORM_TYPE || raw.headers['content-encoding'] !== undefined)
    throw new Failure('malformed', 'This page takes forms only.', { part: 'content-type' });
  const held = bodyMemory.open(anonymousAt(ip));
  reply.raw.once('close', held.close);
  return new URLSearchParams((await collectBody(raw, FORM_BYTES, held)).toString('utf8'));
}
