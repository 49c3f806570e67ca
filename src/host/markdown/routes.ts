// Renders Markdown that is sent in JSON or as plain text.
import type { IncomingMessage } from 'node:http';
import { collectBody, inflateBody } from '../../kernel/http/body/body.ts';
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import { MARKDOWN_MODES } from '../contents/markdown-client.ts';
import { MAX_TEXT_BYTES, renderText } from './render-text.ts';

const DESCRIPTION = `At most ${MAX_TEXT_BYTES} bytes. HTML in it is shown as text, and links lead to http, https and mailto addresses only.`;

const render = route(
  {
    id: 'markdown/render',
    method: 'POST',
    path: '/markdown',
    summary: 'Render Markdown',
    description: DESCRIPTION,
    access: 'anyone',
    body: Type.Object({
      text: Type.String(),
      mode: Type.Optional(
        OneOf(MARKDOWN_MODES, {
          description:
            '`gfm` renders it as a comment, whose lines stay lines; `markdown` as a document, if absent',
        }),
      ),
      context: Type.Optional(
        Type.String({ description: 'A repository. It has no effect: nothing in the text refers to it' }),
      ),
    }),
    reply: { 200: Type.String() },
    produces: 'text/html',
    isData: true,
    worksOnFullDisk: true,
  },
  (call, kernel) => renderText(kernel, call, call.body.text, call.body.mode ?? 'markdown'),
);

const TEXT_TYPE = /^\s*text\/(?:plain|x-markdown)\s*(?:;|$)/i;

const renderRaw = route(
  {
    id: 'markdown/render-raw',
    method: 'POST',
    path: '/markdown/raw',
    summary: 'Render Markdown that is sent as plain text',
    description: DESCRIPTION,
    access: 'anyone',
    streams: true,
    consumes: () => ({ 'text/plain': Type.String(), 'text/x-markdown': Type.String() }),
    reply: { 200: Type.String() },
    produces: 'text/html',
    isData: true,
    worksOnFullDisk: true,
  },
  async (call, kernel) => {
    const { headers, stream, caller } = call;
    const type = headers['content-type']?.toString();
    if (type !== undefined && !TEXT_TYPE.test(type))
      throw new Failure('unsupported-encoding', 'Send the text as text/plain or text/x-markdown.');
    const held = kernel.bodyMemory.open(caller);
    try {
      // The stream of a route with `streams` is the request itself.
      const bytes = await collectBody(stream as IncomingMessage, MAX_TEXT_BYTES, held);
      const text = await inflateBody(bytes, headers['content-encoding']?.toString(), MAX_TEXT_BYTES);
      return await renderText(kernel, call, text.toString(), 'markdown');
    } finally {
      held.close();
    }
  },
);

export const markdownRoutes = [render, renderRaw];
