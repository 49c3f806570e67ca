// What the palette offers for what was typed: pages that were opened lately, commands, and hits of the search.
import { listCalls } from '../api/call-log.ts';
import type { Call } from '../api/call.ts';
import { CONSOLE } from '../api/server.ts';
import { logOut } from '../api/session.ts';
import { snippetOf } from '../api/snippets.ts';
import type { SearchItem } from '../api/types/signalbox.ts';
import { copyText } from '../ui/copy-text.ts';
import type { IconName } from '../ui/icon.tsx';
import { toast } from '../ui/toast-store.ts';
import { draftCall } from './draft-call.ts';
import { hasPage, NAVIGATION } from './pages.tsx';
import { PALETTE } from './palette-words.ts';
import { readRecentPages } from './recent-pages.ts';
import { docsAddressOf, groupHits } from './search.ts';
import { switchTheme } from './theme.ts';

export interface PaletteItem {
  id: string;
  label: string;
  detail?: string;
  icon: IconName;
  /** A path below the console, or what is done. Nothing is written from here: commands that write open their form. */
  go: string | (() => void);
  /** By the search: for what was typed a moment ago, while it has not answered yet. */
  isFound?: boolean;
}

/** What lies over the page, for commands that open it. */
export interface PaletteFrame {
  showCalls: () => void;
  showKeys: () => void;
}

export interface PaletteGroup {
  label: string;
  items: PaletteItem[];
}

const PREFIXES: Readonly<Record<string, string>> = {
  'f:': 'flag,segment',
  'r:': 'run',
  '@': 'member,team',
  '#': 'issue,pull',
  '?': 'operation,guide',
};

/** The prefix that narrows a search, the kinds that it stands for, and the rest. */
export function readSearch(typed: string): { text: string; kinds?: string } {
  const [, prefix, text = ''] = /^(f:|r:|@|#|\?)\s*(.*)$/.exec(typed) ?? [];
  if (prefix === undefined) return { text: typed.trim() };
  return { text: text.trim(), kinds: PREFIXES[prefix]! };
}

const COMMANDS: readonly PaletteItem[] = [
  { id: 'new-flag', label: PALETTE.newFlag, icon: 'plus', go: '/new-flag' },
  { id: 'new-segment', label: PALETTE.newSegment, icon: 'plus', go: '/segments?new=1' },
  { id: 'new-project', label: PALETTE.newProject, icon: 'plus', go: '/environments?new=1' },
  { id: 'compare', label: PALETTE.compare, icon: 'fork', go: '/compare' },
  { id: 'run-actor', label: PALETTE.runActor, icon: 'actor', go: '/actors' },
  { id: 'new-repository', label: PALETTE.newRepository, icon: 'plus', go: '/code?new=1' },
  { id: 'new-gist', label: PALETTE.newGist, icon: 'plus', go: '/gists/new' },
  { id: 'new-token', label: PALETTE.newToken, icon: 'plus', go: '/account/tokens?new=1' },
  { id: 'invite', label: PALETTE.inviteMember, icon: 'plus', go: '/account/members?invite=1' },
  { id: 'theme', label: PALETTE.switchTheme, icon: 'moon', go: switchTheme },
  { id: 'copy-as-curl', label: PALETTE.copyAsCurl, icon: 'copy', go: copyPageAsCurl },
  { id: 'log-out', label: PALETTE.logOut, icon: 'logout', go: () => void logOut() },
];

/** What the form on the page would send, else the last thing that the page has read. */
function copyPageAsCurl(): void {
  const call: Call | undefined =
    draftCall() ?? listCalls().findLast((one) => (one.call.method ?? 'GET') === 'GET')?.call;
  if (call === undefined) return void toast({ text: PALETTE.noCall, tone: 'bad' });
  void copyText(snippetOf(call, 'curl')).then((isCopied) =>
    toast(isCopied ? { text: PALETTE.copied(call.path) } : { text: PALETTE.notCopied, tone: 'bad' }),
  );
}

function pages(): PaletteItem[] {
  return NAVIGATION.flatMap(({ label, icon, href, items = [] }) => [
    ...(href === undefined ? [] : [{ id: href, label, icon, go: href }]),
    ...items.map((item) => ({ id: item.href, label: `${label}: ${item.label}`, icon, go: item.href })),
  ]);
}

function matching(items: readonly PaletteItem[], text: string): PaletteItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

export function groupsFor(
  typed: string,
  hits: readonly SearchItem[],
  { showCalls, showKeys }: PaletteFrame,
): PaletteGroup[] {
  const commandsOfFrame: PaletteItem[] = [
    ...COMMANDS,
    { id: 'calls', label: PALETTE.calls, icon: 'api', go: showCalls },
    { id: 'keys', label: PALETTE.keys, icon: 'help', go: showKeys },
  ];
  if (typed.startsWith('>'))
    return named(PALETTE.commands, matching([...commandsOfFrame, ...pages()], typed.slice(1)));
  const { text, kinds } = readSearch(typed);
  if (text === '' && kinds === undefined)
    return [...named(PALETTE.recent, recent()), ...named(PALETTE.commands, commandsOfFrame)];
  const found = groupHits(hits).map(({ kind, label, icon, hits: items }) => ({
    label,
    items: items.map(({ id, title, detail, path }) => ({
      id: `${kind}/${id}`,
      label: title,
      detail,
      icon,
      go: placeOf(path, title),
      isFound: true,
    })),
  }));
  const isExact = hits.some((hit) => hit.isExact === true);
  const commands = kinds === undefined ? matching([...pages(), ...commandsOfFrame], text) : [];
  const all: PaletteItem[] =
    hits.length === 0
      ? []
      : [
          {
            id: 'all',
            label: PALETTE.all(text),
            icon: 'search',
            go: `/search?q=${encodeURIComponent(text)}`,
          },
        ];
  // Who types the whole name of a page means it, whatever the search may find.
  const called = isExact ? [] : commands.filter((item) => isCalled(item, text));
  const others = [...commands.filter((item) => !called.includes(item)), ...all];
  return [...named(PALETTE.pages, called), ...found, ...named(PALETTE.commands, others)];
}

function isCalled({ label }: PaletteItem, text: string): boolean {
  const name = label.toLowerCase();
  return name === text.toLowerCase() || name.endsWith(`: ${text.toLowerCase()}`);
}

/** Documentation opens beside the page. Of a thing that has no page yet, the search says what is known. */
function placeOf(path: string, title: string): PaletteItem['go'] {
  const docs = docsAddressOf(path);
  if (docs !== undefined) return () => void open(docs, '_blank', 'noreferrer');
  return hasPage(`/${path}`) ? `/${path}` : `/search?q=${encodeURIComponent(title)}`;
}

function recent(): PaletteItem[] {
  const here = location.pathname.slice(CONSOLE.length) || '/';
  return readRecentPages()
    .filter(({ href }) => href !== here && hasPage(href))
    .map(({ href, title }) => ({ id: `recent ${href}`, label: title, icon: 'aright', go: href }));
}

function named(label: string, items: PaletteItem[]): PaletteGroup[] {
  return items.length === 0 ? [] : [{ label, items }];
}
