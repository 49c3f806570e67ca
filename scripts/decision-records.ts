// The decision records in docs/adr: numbered without holes, listed in their index, and there where the tree names them.

const FOLDER = 'docs/adr/';
const INDEX = `${FOLDER}README.md`;
/** The record that lists the runtime dependencies, each with its own record. */
const DEPENDENCIES = '0014';

/** A comment may name several: `ADR 0018, 0040 and 0052`. */
const MENTION = /\bADRs? (\d{4}(?:(?:, and|,| and) \d{4})*)/g;
const LINK = /(?:\badr\/|\]\()(\d{4}-[\w-]+\.md)/g;

/** Takes texts by path and the names of the runtime dependencies, and returns a sentence for each problem. */
export function findRecordProblems(
  texts: ReadonlyMap<string, string>,
  dependencies: readonly string[],
): string[] {
  const records = [...texts.keys()]
    .filter((path) => /^docs\/adr\/\d{4}-[\w-]+\.md$/.test(path))
    .map((path) => path.slice(FOLDER.length))
    .toSorted();
  const textOf = (name: string) => texts.get(FOLDER + name) ?? '';
  return [
    ...findWrongNumbers(records),
    ...records.flatMap((name) => findWrongEntry(name, textOf(name), texts.get(INDEX) ?? '')),
    ...[...texts].flatMap(([path, text]) => findDeadMentions(path, text, records)),
    ...findUnrecorded(dependencies, textOf(records.find((name) => numberOf(name) === DEPENDENCIES) ?? '')),
  ];
}

function numberOf(name: string): string {
  return name.slice(0, 4);
}

function findWrongNumbers(records: readonly string[]): string[] {
  const numbers = records.map(numberOf);
  const taken = numbers.filter((number, index) => numbers.indexOf(number) !== index);
  const last = Number(numbers.at(-1) ?? 0);
  const missing = Array.from({ length: last }, (_, index) => String(index + 1).padStart(4, '0')).filter(
    (number) => !numbers.includes(number),
  );
  return [
    ...taken.map((number) => `${FOLDER}: two records have the number ${number}.`),
    ...missing.map((number) => `${FOLDER}: there is no record ${number}.`),
  ];
}

function findWrongEntry(name: string, text: string, index: string): string[] {
  const number = numberOf(name);
  const [, title] = new RegExp(`^# ${number}: (.+)\n`).exec(text) ?? [];
  if (title === undefined) return [`${FOLDER}${name}: the first line must be "# ${number}: " and a title.`];
  const line = `- [${number}](${name}): ${title}`;
  return index.split('\n').includes(line) ? [] : [`${INDEX}: lacks the line "${line}".`];
}

function findDeadMentions(path: string, text: string, records: readonly string[]): string[] {
  const numbers = new Set(records.map(numberOf));
  const named = [...text.matchAll(MENTION)].flatMap(([, list = '']) => list.match(/\d{4}/g) ?? []);
  const linked = [...text.matchAll(LINK)].map(([, name = '']) => name);
  return [
    ...named
      .filter((number) => !numbers.has(number))
      .map((number) => `${path}: names ADR ${number}, which does not exist.`),
    ...linked
      .filter((name) => !records.includes(name))
      .map((name) => `${path}: links to ${name}, which does not exist.`),
  ];
}

function findUnrecorded(dependencies: readonly string[], record: string): string[] {
  return dependencies
    .filter((name) => !record.includes(`\`${name}\``))
    .map((name) => `package.json: ${name} is not in the table of record ${DEPENDENCIES}.`);
}
