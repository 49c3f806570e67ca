// Collects the licences of the bundled packages: most require their text to be distributed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/** `inputs` are the bundled files, relative to the root. */
export function describeLicences(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []));
  const notices = [...folders].map((folder) => noticeOf(join(root, folder))).toSorted();
  return `${['Signalbox contains these packages.', ...new Set(notices)].join(RULE)}\n`;
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const text = readLicence(folder) ?? readReadme(folder) ?? standardText(manifest);
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text.trim()}`;
}

function readLicence(folder: string): string | undefined {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)(\.|$)/i.test(name));
  if (files.length === 0) return undefined;
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}

/** Some packages have the licence at the end of their README. */
function readReadme(folder: string): string | undefined {
  const file = readdirSync(folder).find((name) => /^readme\.md$/i.test(name));
  if (file === undefined) return undefined;
  return /^#+ licen[cs]e\s+(.*permission is hereby granted.*)/ims.exec(
    readFileSync(join(folder, file), 'utf8'),
  )?.[1];
}

/** The remaining small packages only name their licence. */
function standardText({ name, license, author }: Manifest): string {
  if (license !== 'MIT' || author === undefined) throw new Error(`The licence of ${name} cannot be told.`);
  return `Copyright (c) ${typeof author === 'string' ? author : author.name}\n\n${MIT}`;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
