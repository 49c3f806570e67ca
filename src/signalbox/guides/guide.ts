// A guide for people, written in Markdown: its title and its sections, which the search finds and links lead to.

/** Of the pages of guides. */
export const GUIDES_PATH = '/docs/guide';

export interface GuideSection {
  title: string;
  /** Of its heading on the page of the guide. */
  anchor: string;
  /** As it is written, up to the next heading. */
  text: string;
}

export interface Guide {
  /** Of its file, without the ending. */
  name: string;
  title: string;
  /** What stands before the first section. */
  intro: string;
  sections: readonly GuideSection[];
  /** All of it, without the title. */
  text: string;
  /** As it is written. */
  markdown: string;
}

const FENCE = /^\s*```/;
const HEADING = /^(?<marks>#{1,4}) +(?<words>.+)$/;

/** Lines that look like headings are none in a block of code. */
export function parseGuide(name: string, markdown: string): Guide {
  let title = name;
  let isCode = false;
  const intro: string[] = [];
  const text: string[] = [];
  const found: { title: string; lines: string[] }[] = [];
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    const { marks = '', words = '' } = (isCode ? undefined : HEADING.exec(line)?.groups) ?? {};
    if (marks === '#') {
      title = plainWords(words);
      continue;
    }
    text.push(line);
    if (marks === '') (found.at(-1)?.lines ?? intro).push(line);
    else found.push({ title: plainWords(words), lines: [] });
  }
  const anchors = anchorsOf(found.map((section) => section.title));
  const sections = found.map((section, index) => ({
    title: section.title,
    anchor: anchors[index]!,
    text: section.lines.join('\n').trim(),
  }));
  return { name, title, intro: intro.join('\n').trim(), sections, text: text.join('\n'), markdown };
}

/** Without the marks of code and emphasis. */
function plainWords(words: string): string {
  return words.replaceAll(/[`*]/g, '').trim();
}

/** As readers of such files know them: `Back up and restore` is `back-up-and-restore`, and the second of a name ends with `-1`. */
function anchorsOf(titles: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return titles.map((title) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}
