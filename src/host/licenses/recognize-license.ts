// The texts of licences, and which licence a repository has by the words of its text.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { OTHER_LICENSE_ID } from './license.ts';

/** The longest of the known texts has half of it. */
export const MAX_LICENSE_BYTES = 128 * 1024;
/** Some change a few words or leave out a title; the known texts differ from each other by more. */
const MIN_SIMILARITY = 0.97;

/** Those that people use. To compare with all seven hundred would take seconds. */
const COMMON = `
  MIT Apache-2.0 GPL-3.0 GPL-2.0 BSD-3-Clause BSD-2-Clause ISC MPL-2.0 AGPL-3.0 LGPL-3.0
  LGPL-2.1 Unlicense CC0-1.0 CC-BY-4.0 CC-BY-SA-4.0 0BSD MIT-0 Zlib BSL-1.0 EPL-1.0 EPL-2.0
  EUPL-1.1 EUPL-1.2 WTFPL AFL-3.0 Artistic-2.0 OSL-3.0 OFL-1.1 PostgreSQL NCSA UPL-1.0 MS-PL
  MS-RL ECL-2.0 LPPL-1.3c CECILL-2.1 ODbL-1.0 Vim MulanPSL-2.0 BlueOak-1.0.0
  BSD-3-Clause-Clear BSD-4-Clause`
  .trim()
  .split(/\s+/);

/** How often each word occurs in a text. */
interface WordCounts {
  words: ReadonlyMap<string, number>;
  total: number;
}

/** The SPDX identifier. Licences with the same words are distinguished by what was chosen before. */
export async function recognizeLicense(text: string, chosen: string | null): Promise<string> {
  const found = countWords(text);
  const slice = new TimeSlice();
  let best = { id: OTHER_LICENSE_ID, similarity: MIN_SIMILARITY };
  for (const id of new Set([...(chosen === null ? [] : [chosen]), ...COMMON])) {
    const similarity = similarityOf(found, knownWords(id));
    if (similarity > best.similarity) best = { id, similarity };
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return best.id;
}

/** From constant texts, counted once. */
const counted = new Map<string, WordCounts>();

function knownWords(id: string): WordCounts {
  const known = counted.get(id) ?? countWords(id === OTHER_LICENSE_ID ? '' : licenseTextOf(id));
  if (COMMON.includes(id)) counted.set(id, known);
  return known;
}

/** Without who holds the rights, without instructions for use, and without the other licence that some texts repeat. */
function countWords(text: string): WordCounts {
  const terms = text
    .toLowerCase()
    // Lines of the terms may begin with the word copyright, too.
    .replaceAll(/^[^\w\n]*(?:copyright .*?(?:\(c\)|©|\d{4}|\byear\b|\byyyy\b)|\(c\)|©).*$/gm, '')
    .replaceAll('all rights reserved', '')
    // The holder whom the published text of this licence names.
    .replaceAll(/\bisc\b(?! license)/g, 'the author')
    .replace(/end of terms and conditions.*$/s, '')
    .replace(
      /^(\W*gnu lesser general public license.*?)gnu general public license\s+version 3, 29 june.*$/s,
      '$1',
    );
  const words = new Map<string, number>();
  let total = 0;
  for (const [word] of terms.matchAll(/[a-z0-9]+/g)) {
    words.set(word, (words.get(word) ?? 0) + 1);
    total += 1;
  }
  return { words, total };
}

/** Twice the common words by the words of both: 1 for the same words, 0 for nothing in common. */
function similarityOf(one: WordCounts, other: WordCounts): number {
  const all = one.total + other.total;
  // Texts of very different lengths need no look at their words.
  if (all === 0 || (2 * Math.min(one.total, other.total)) / all < MIN_SIMILARITY) return 0;
  let common = 0;
  for (const [word, count] of one.words) common += Math.min(count, other.words.get(word) ?? 0);
  return (2 * common) / all;
}

/** The identifier must be one of the list. In the npm package the texts are beside the bundle. */
export function licenseTextOf(id: string): string {
  const bundled = new URL(`./licenses/${id}.json`, import.meta.url);
  const file = existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve(`spdx-license-list/licenses/${id}.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { licenseText: string }).licenseText;
}
