// A page of the server for people with browsers: HTML at a path, and the forms that are sent to it.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Kernel } from '../../kernel.ts';

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
