// Writes CHANGELOG.md from the commits: for each release, what each commit of a kind that people notice says, newest first.
// A release ends with the commit that raises the version in package.json; what comes after it is of the next.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const TITLES = { feat: 'New', fix: 'Mended', perf: 'Faster' } as const;
const SUBJECT = /^(feat|fix|perf)(!)?(?:\([^)]*\))?: (.+)$/;

const git = (...args: string[]) =>
  execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  }).trimEnd();

interface Release {
  title: string;
  subjects: string[];
}

const raised = new Map<string, string>();
for (const line of git('log', '--format=%H', '-G"version": "', '--', 'package.json').split('\n')) {
  const version = versionAt(line);
  if (version !== undefined && version !== versionAt(`${line}~1`)) raised.set(line, version);
}

/** Undefined before there was such a file. */
function versionAt(commit: string): string | undefined {
  try {
    return (JSON.parse(git('show', `${commit}:package.json`)) as { version: string }).version;
  } catch {
    return undefined;
  }
}

const releases: Release[] = [];
let open: Release = { title: 'Not released yet', subjects: [] };
for (const line of git('log', '--reverse', '--no-merges', '--date=short', '--format=%H%x09%ad%x09%s').split(
  '\n',
)) {
  const [hash = '', date = '', subject = ''] = line.split('\t');
  open.subjects.push(subject);
  const version = raised.get(hash);
  if (version === undefined) continue;
  releases.unshift({ ...open, title: `${version}, ${date}` });
  open = { title: open.title, subjects: [] };
}
if (open.subjects.length > 0) releases.unshift(open);

const sections = releases.map(({ title, subjects }) => {
  const found = subjects.flatMap((subject) => {
    const [, kind, isBreaking, text] = SUBJECT.exec(subject) ?? [];
    return text === undefined ? [] : [{ kind: kind as keyof typeof TITLES, isBreaking, text }];
  });
  const lists = (Object.keys(TITLES) as (keyof typeof TITLES)[]).flatMap((kind) => {
    const own = found.filter((one) => one.kind === kind);
    const items = own.map(({ text, isBreaking }) => `- ${isBreaking === '!' ? '**Breaking:** ' : ''}${text}`);
    return items.length === 0 ? [] : [`### ${TITLES[kind]}\n\n${[...new Set(items)].join('\n')}`];
  });
  return `## ${title}\n\n${lists.join('\n\n') || 'Nothing that people notice.'}`;
});
writeFileSync(
  join(ROOT, 'CHANGELOG.md'),
  `# Changes\n\nWritten from the commits by \`npm run changelog\`.\n\n${sections.join('\n\n')}\n`,
);
