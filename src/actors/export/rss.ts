// Items as an RSS 2.0 feed; their elements follow the rules of the XML export.
import type { ExportOptions, ExportSource } from './input.ts';
import { escapeMarkup } from './markup.ts';
import { writeText } from './text.ts';
import { elementWriter, XML_DECLARATION } from './xml.ts';

export function exportRss(
  source: ExportSource,
  { bom = false, feedTitle = 'Dataset', feedDescription = '', feedLink = '' }: ExportOptions = {},
): AsyncGenerator<string, void> {
  const channel =
    `<title>${escapeMarkup(feedTitle)}</title>\n<link>${escapeMarkup(feedLink)}</link>\n` +
    `<description>${escapeMarkup(feedDescription)}</description>\n`;
  return writeText(source(), {
    bom,
    head: `${XML_DECLARATION}<rss version="2.0">\n<channel>\n${channel}`,
    row: elementWriter('item'),
    tail: '</channel>\n</rss>\n',
  });
}
