// Runs a guide as a reader would: writes the files that it shows, runs its commands in one shell, and compares what they print.
//
// A block of `sh` is run. A block right after it, without a paragraph between, is what it prints: each of its lines has to
// come in this order, `…` stands for anything, and times, ids and tokens may differ. A block of another language is a file if
// the paragraph before it ends with a name in backticks and a colon. A block of `text` is an illustration.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PATIENCE_MS } from './eventually.ts';

const ROOT = dirname(import.meta.dirname);
const FENCE = /^```(\w*)$/;
const INDENTED = /^\s+```sh$/;
const FILE = /`([\w./-]+)`[^`]*:$/;

interface GuideStep {
  kind: 'run' | 'write';
  /** Of the file. */
  path?: string;
  text: string;
  /** What a command prints. */
  expected?: string;
}

function readGuide(path: string, sections: readonly string[] | undefined): GuideStep[] {
  const steps: GuideStep[] = [];
  let paragraph = '';
  let block: { language: string; lines: string[] } | undefined;
  const document = readFileSync(join(ROOT, path), 'utf8');
  const text = sections?.map((heading) => sectionOf(document, heading)).join('\n') ?? document;
  for (const line of text.split('\n')) {
    assert.ok(
      !INDENTED.test(line),
      `${path}: commands in a list would not be run; call them text, or move them out`,
    );
    const [isFence, language = ''] = FENCE.exec(line) ?? [];
    if (block !== undefined && isFence !== undefined) {
      addBlock(steps, paragraph, block.language, block.lines.join('\n'));
      [block, paragraph] = [undefined, ''];
    } else if (block !== undefined) {
      block.lines.push(line);
    } else if (isFence !== undefined) {
      block = { language, lines: [] };
    } else if (line !== '') {
      paragraph = line;
    }
  }
  return steps;
}

/** Up to the next heading. A heading of the first level stands for the beginning of the document. */
function sectionOf(document: string, heading: string): string {
  const [, text] = `\n${document}`.split(`\n${heading}\n`);
  assert.ok(text !== undefined, `no heading ${heading}`);
  return text.split(/^#+ [A-Z]/m)[0]!;
}

function addBlock(steps: GuideStep[], paragraph: string, language: string, text: string): void {
  const last = steps.at(-1);
  if (language === 'sh') steps.push({ kind: 'run', text });
  else if (paragraph === '' && last?.kind === 'run' && last.expected === undefined) last.expected = text;
  else {
    const [, path] = FILE.exec(paragraph) ?? [];
    if (path !== undefined) steps.push({ kind: 'write', path, text });
  }
}

export interface GuideOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** The headings of the parts to follow; all of it if absent. */
  sections?: readonly string[];
  /** Texts of the guide that are different here, such as the address of the server. */
  replace?: Record<string, string>;
}

/** Fails on the first command that fails, or prints something else than the guide says. */
export async function followGuide(
  path: string,
  { cwd, env, sections, replace = {} }: GuideOptions,
): Promise<void> {
  const steps = readGuide(path, sections);
  assert.ok(
    steps.some(({ kind }) => kind === 'run'),
    `${path} has no commands`,
  );
  const localize = (text: string) =>
    Object.entries(replace).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const script = steps.map(({ kind, path: file, text }, index) =>
    kind === 'run'
      ? `printf '\\n${marker(index)}\\n'\n${localize(text)}`
      : `mkdir -p "$(dirname '${file}')"\ncat > '${file}' <<'END-OF-FILE'\n${localize(text)}\nEND-OF-FILE`,
  );
  const { error, output } = await runBash(`exec 2>&1\nset -euo pipefail\n${script.join('\n')}\n`, cwd, env);
  assert.ok(error === undefined, `${path}: ${error}\n${output}`);
  const printed = output.split(/^== step (\d+) ==$/m);
  for (const [index, { expected, text }] of steps.entries()) {
    if (expected === undefined) continue;
    const at = printed.indexOf(String(index));
    checkOutput(printed[at + 1] ?? '', localize(expected), text);
  }
}

const marker = (index: number) => `== step ${index} ==`;

function runBash(
  script: string,
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<{ error: string | undefined; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: 3 * PATIENCE_MS, maxBuffer: 2 ** 26 };
    execFile('bash', ['-c', script], options, (error, output) =>
      resolve({ error: error === null ? undefined : `exit code ${error.code}`, output }),
    );
  });
}

const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const IDS = /\b[0-9a-f]{24}\b/g;

function checkOutput(printed: string, expected: string, command: string): void {
  const neutral = (text: string) => text.replaceAll(TIMES, 'TIME').replaceAll(IDS, 'ID');
  const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = neutral(expected)
    .split('\n')
    .filter((line) => line.trim() !== '' && line.trim() !== '…');
  let rest = neutral(printed);
  for (const line of lines) {
    const pattern = new RegExp(line.trim().split('…').map(escape).join('.*?'));
    const found = pattern.exec(rest);
    assert.ok(found, `${command}\nshould print: ${line}\nbut prints:\n${printed}`);
    rest = rest.slice(found.index + found[0].length);
  }
}
