// Follows the recipes of CONTRIBUTING.md in a copy of the tree, as a person would.
//
// Every block of `ts` or `diff` below the heading "Recipes" is followed, from top to bottom. The paragraph before it
// names the files that it is for, by their full paths. There are three forms:
//
// - `ts` for a file that does not exist: the block is the file.
// - `ts` for a file that exists: imports at the top of the block join the imports of the file, and the rest goes to its
//   end. Where the rest declares a name that the file has already, such as a list with one more item, it takes the place
//   of that declaration, and must have every word of it.
// - `diff`: lines with a space or `-` in front stand in the file, once and next to each other; those with `-` go, those
//   with `+` come. An empty line separates two such places.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Step {
  language: string;
  code: string;
  /** Relative to the root of the tree. */
  paths: string[];
}

const HEADING = '\n# Recipes\n';
const FENCE = /^( *)```(\w*)$/;
const PATH = /`((?:src|test)\/[\w./-]+\.ts)`/g;

export function readSteps(markdown: string): Step[] {
  const start = markdown.indexOf(HEADING);
  assert.ok(start >= 0, 'the recipes have a heading');
  const steps: Step[] = [];
  let paragraph = '';
  let isNewParagraph = true;
  let block: { indent: number; language: string; lines: string[] } | undefined;
  for (const line of markdown.slice(start).split('\n')) {
    const [isFence, indent = '', language = ''] = FENCE.exec(line) ?? [];
    if (block !== undefined && isFence === undefined) {
      // Blocks in a list are indented.
      block.lines.push(`${line.slice(block.indent)}\n`);
    } else if (block !== undefined) {
      if (block.language === 'ts' || block.language === 'diff') steps.push(toStep(paragraph, block));
      [block, paragraph] = [undefined, ''];
    } else if (isFence !== undefined) {
      block = { indent: indent.length, language, lines: [] };
    } else if (line !== '') {
      paragraph = isNewParagraph ? line : `${paragraph}\n${line}`;
    }
    isNewParagraph = line === '';
  }
  return steps;
}

function toStep(paragraph: string, { language, lines }: { language: string; lines: string[] }): Step {
  const paths = [...paragraph.matchAll(PATH)].map(([, path]) => path!);
  assert.ok(paths.length > 0, `the paragraph before a block names no file: ${paragraph}\n${lines.join('')}`);
  return { language, code: lines.join(''), paths };
}

export function followStep(root: string, { language, code, paths }: Step): void {
  for (const path of paths) {
    const file = join(root, path);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, language === 'diff' ? applyDiff(path, before, code) : addCode(before, code));
  }
}

export function applyDiff(path: string, before: string | undefined, diff: string): string {
  assert.ok(before !== undefined, `${path} does not exist, and a diff changes it`);
  return diff
    .trimEnd()
    .split(/\n\n+/)
    .reduce((text, place) => {
      assert.match(place, /^([ +-].*\n?)*$/, `every line of a diff of ${path} begins with a space, + or -`);
      const side = (mark: string) =>
        place
          .split('\n')
          .filter((line) => line.startsWith(' ') || line.startsWith(mark))
          .map((line) => `${line.slice(1)}\n`)
          .join('');
      const [old, wanted] = [`\n${side('-')}`, `\n${side('+')}`];
      assert.equal(text.split(old).length - 1, 1, `${path} has these lines once:${old}`);
      return text.replace(old, () => wanted);
    }, `\n${before}`)
    .slice(1);
}

export function addCode(before: string | undefined, block: string): string {
  if (before === undefined) return block;
  const [imports = ''] = /^(?:import [^;]*;\n)*\n?/.exec(block)!;
  const code = block.slice(imports.length);
  const text = [...imports.matchAll(IMPORT)].reduce(addImport, before);
  const [replaced, ...others] = [...code.matchAll(DECLARED)].flatMap(
    ([, name]) => findDeclaration(text, name!) ?? [],
  );
  if (replaced === undefined) return `${text}\n${code}`;
  assert.deepEqual(others, [], 'one declaration can be replaced by a block');
  const words = new Set(code.match(/\w+/g));
  const lost = replaced.match(/\w+/g)!.filter((word) => !words.has(word));
  assert.deepEqual(lost, [], `these words of the file are not in the block that replaces them:\n${replaced}`);
  return text.replace(replaced, () => code);
}

const DECLARED = /^(?:export )?(?:const|function|async function|interface|type|class) (\w+)/gm;
const IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';\n/gm;

/** Top-level declarations end with the first line that is not indented and ends with a semicolon or a brace. */
function findDeclaration(text: string, name: string): string | undefined {
  const pattern = `^(?:export )?(?:const|function|async function|interface|type|class) ${name}\\b`;
  const start = text.search(new RegExp(pattern, 'm'));
  if (start < 0) return undefined;
  return /^(?:\S.*[;}]\n|[^]*?\n\S.*[;}]\n)/.exec(text.slice(start))?.[0];
}

function addImport(text: string, [line, type = '', names, from]: RegExpExecArray): string {
  const known = [...text.matchAll(IMPORT)];
  const same = known.find((one) => one[3] === from && (one[1] ?? '') === type);
  if (same === undefined) {
    const last = known.at(-1)!;
    const end = last.index + last[0].length;
    return text.slice(0, end) + line + text.slice(end);
  }
  const all = new Set([...same[2]!.split(','), ...names!.split(',')].map((name) => name.trim()));
  all.delete('');
  const joined = `import ${type}{ ${[...all].join(', ')} } from '${from}';\n`;
  return text.replace(same[0], () => joined);
}
