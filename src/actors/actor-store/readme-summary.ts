// The beginning of a README as plain text, for lists.

const MAX_LENGTH = 300;
/** A summary is at the beginning, and a README may have a megabyte. */
const MAX_READ = 4000;

/** The first paragraph that is text: no heading, picture, list, table or code. Null where there is none. */
export function summarizeReadme(readme: string | null): string | null {
  if (readme === null) return null;
  const text = readme
    .slice(0, MAX_READ)
    .replaceAll(/^(```|~~~)[^]*?(?:^\1|$(?![^]))/gm, '')
    .replaceAll('\r', '')
    // Titles that are underlined.
    .replaceAll(/^.*\n(?:={2,}|-{2,})[ \t]*$/gm, '');
  for (const paragraph of text.split(/\n[ \t]*\n/)) {
    const lines = paragraph.split('\n').filter((line) => !/^\s*#/.test(line));
    const plain = plainTextOf(lines.join(' '));
    if (plain !== '' && !/^\s*(?:[-*+]\s|[|>!<]|\d+\.\s)/.test(lines[0]!)) return shorten(plain);
  }
  return null;
}

function plainTextOf(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]{0,200}\]\([^)]{0,300}\)/g, '')
    .replaceAll(/\[([^\]]{0,200})\]\([^)]{0,300}\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const cut = text.slice(0, MAX_LENGTH - 1);
  const end = cut.lastIndexOf(' ');
  return `${(end > MAX_LENGTH / 2 ? cut.slice(0, end) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
