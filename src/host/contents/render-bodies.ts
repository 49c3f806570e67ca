// Bodies of issues, pull requests and comments in the form that the media type asks for: as written, as HTML, as plain text, or all three.
import { escapeHtml } from '../../kernel/http/pages/html.ts';
import { Type } from '../../kernel/schema/schema.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { mapInSlices } from '../../kernel/yield-to-event-loop.ts';
import { mediaParamOf } from '../media-type.ts';
import { renderTexts, type TextPlaces } from '../texts/render-texts.ts';

/** The fields of a body. Without a media type, and with `raw`, there is `body` alone. */
export const BODY_FIELDS = {
  body: Type.Optional(Type.String({ description: 'As written, in Markdown' })),
  body_html: Type.Optional(Type.String({ description: 'With the media types `html` and `full`' })),
  body_text: Type.Optional(Type.String({ description: 'With the media types `text` and `full`' })),
};

/** For the descriptions of routes whose replies have bodies. */
export const BODY_FORMATS =
  'The media types `application/vnd.<vendor>.raw+json`, `html`, `text` and `full` choose between Markdown, HTML, plain text and all three.';

/** The body is null where the text is optional and there is none. */
export interface ShownBody<Body extends string | null = string> {
  body?: Body;
  body_html?: string;
  body_text?: string;
}

/**
 * In the order of the bodies. What takes too long to render is shown as its text. Not for use in a transaction, because
 * what is rendered is kept.
 */
export async function renderBodies<Body extends string | null>(
  kernel: Pick<Kernel, 'db' | 'clock' | 'log' | 'services'>,
  bodies: readonly Body[],
  accept: string | string[] | undefined,
  places: TextPlaces,
): Promise<ShownBody<Body>[]> {
  const param = mediaParamOf(typeof accept === 'string' ? accept : undefined);
  if (param !== 'html' && param !== 'text' && param !== 'full') return bodies.map((body) => ({ body }));
  const texts = bodies.map((body) => body ?? '');
  const rendered = await renderTexts(kernel, texts, places);
  return await mapInSlices([...bodies.entries()], ([index, body]) => {
    const [text, html] = [texts[index]!, rendered[index]];
    return {
      ...(param === 'full' && { body }),
      ...(param !== 'text' && { body_html: html ?? `<pre>${escapeHtml(text)}</pre>` }),
      ...(param !== 'html' && { body_text: html === undefined ? text : textOf(html) }),
    };
  });
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The renderer escapes these four characters, in attributes too. */
function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot);/g, (_entity, name: string) => ENTITIES[name]!)
    .trim();
}
