// Builds new git objects (blob, tree, commit, tag) in memory, with their ids.
import { createHash } from 'node:crypto';
import { Failure } from '../../../kernel/failure.ts';
import { mapInSlices, sortInSlices } from '../../../kernel/yield-to-event-loop.ts';
import type { GitPerson } from './commit-object.ts';
import { isUnsafeEntryName, mayMeanToGit } from '../refs/revision.ts';
import { checkedObjectId } from './object-id.ts';
import type { TreeEntry } from './tree.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface NewObject {
  type: ObjectType;
  oid: string;
  bytes: Buffer;
  /**
   * The objects that it refers to and that are not known to exist. Absent where git has to check the content of the object, which
   * it does for lists of submodules, for example.
   */
  links?: readonly ObjectLink[];
}

export interface ObjectLink {
  oid: string;
  type: ObjectType;
}

/** The modes that git itself writes: file, program, folder, symbolic link, submodule. */
export type EntryMode = '100644' | '100755' | '040000' | '120000' | '160000';

export interface NewTreeEntry {
  mode: EntryMode;
  /** Bytes, where a name of an existing tree may not be valid UTF-8. */
  name: string | Uint8Array;
  oid: string;
  /** A tree of the repository has the same entry. */
  isKept?: true;
}

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  author: GitPerson;
  committer: GitPerson;
  /** Stored as given; git's own programs end it with a newline. */
  message: string;
  /** An armoured signature of the commit without this header. */
  signature?: string;
}

export interface NewTag {
  object: string;
  type: ObjectType;
  tag: string;
  tagger: GitPerson;
  message: string;
}

const MODES: ReadonlySet<string> = new Set(['100644', '100755', '040000', '120000', '160000']);
/** The last second of the year 9999, after which dates no longer have four-digit years. */
const MAX_SECONDS = 253_402_300_799;
/** As git refuses longer ones when it checks a received tree. */
const MAX_NAME_BYTES = 4096;

export function buildBlob(bytes: Uint8Array): NewObject {
  return buildObject('blob', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), []);
}

/** Entries may come in any order. */
export function buildTree(entries: readonly NewTreeEntry[]): NewObject {
  const seen = new Set<string>();
  const rows = entries.map((entry) => rowOf(entry, seen));
  return treeOf(
    rows.toSorted(compareRows).map(({ row }) => row),
    entries,
  );
}

/** For trees that may have many thousand entries. */
export async function buildLargeTree(entries: readonly NewTreeEntry[]): Promise<NewObject> {
  const seen = new Set<string>();
  const rows = await mapInSlices(entries, (entry) => rowOf(entry, seen));
  const sorted = await sortInSlices(rows, compareRows);
  return treeOf(
    sorted.map(({ row }) => row),
    entries,
  );
}

/** In larger trees it would take too long without a pause. */
const MAX_SPLICED = 5000;

/**
 * The tree with some entries added, replaced or deleted, by name. Undefined where the others are not as git writes them today, in
 * their order: then the tree has to be built anew.
 */
export function spliceTree(
  base: readonly TreeEntry[],
  edits: ReadonlyMap<string, Omit<NewTreeEntry, 'name'> | undefined>,
): NewObject | undefined {
  if (base.length > MAX_SPLICED) return undefined;
  const added = [...edits].flatMap(([name, entry]) => (entry === undefined ? [] : { ...entry, name }));
  const rows = added.map((entry) => rowOf(entry, new Set())).toSorted(compareRows);
  const parts: string[] = [];
  let next = 0;
  let last = '';
  for (const { name, rawName, mode, oid } of base) {
    const bytes = isAscii(name) ? name : Buffer.from(name).toString('latin1');
    const order = mode === '040000' ? `${bytes}/` : bytes;
    if (rawName !== undefined || !MODES.has(mode) || order <= last) return undefined;
    last = order;
    if (edits.has(name)) continue;
    for (; next < rows.length && rows[next]!.order < order; next += 1) parts.push(rows[next]!.row);
    parts.push(rowText(mode, bytes, oid));
  }
  for (const { row } of rows.slice(next)) parts.push(row);
  return treeOf(parts, added);
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Texts of bytes, as strings of them are compared faster than buffers. */
interface TreeRow {
  order: string;
  row: string;
}

function rowOf({ name: given, mode, oid }: NewTreeEntry, seen: Set<string>): TreeRow {
  const bytes = checkedEntryName(given);
  const name = bytes.toString('latin1');
  if (seen.has(name)) throw invalid(`A tree has two entries named ${shown(bytes)}: keep one of them.`);
  seen.add(name);
  if (!MODES.has(mode)) throw invalid(`The mode of ${shown(bytes)} must be one of ${[...MODES].join(', ')}.`);
  return {
    // Git compares names as if those of folders ended with a slash.
    order: mode === '040000' ? `${name}/` : name,
    row: rowText(mode, name, checkedObjectId(oid)),
  };
}

/** Git writes modes without the leading zero. */
function rowText(mode: string, name: string, oid: string): string {
  return `${mode === '040000' ? '40000' : mode} ${name}\0${Buffer.from(oid, 'hex').toString('latin1')}`;
}

function compareRows(one: TreeRow, other: TreeRow): number {
  return one.order < other.order ? -1 : Number(one.order > other.order);
}

function treeOf(rows: readonly string[], entries: readonly NewTreeEntry[]): NewObject {
  const bytes = Buffer.from(rows.join(''), 'latin1');
  const added = entries.filter(({ isKept }) => isKept !== true);
  return buildObject('tree', bytes, added.every(isPlain) ? added.map(linkOf) : undefined);
}

/** A submodule is a commit of another repository. */
function isPlain({ name, mode }: NewTreeEntry): boolean {
  return mode !== '160000' && typeof name === 'string' && !mayMeanToGit(name);
}

function linkOf({ mode, oid }: NewTreeEntry): ObjectLink {
  return { oid, type: mode === '040000' ? 'tree' : 'blob' };
}

export function buildCommit(commit: NewCommit): NewObject {
  const headers = [
    `tree ${checkedObjectId(commit.tree)}`,
    ...commit.parents.map((parent) => `parent ${checkedObjectId(parent)}`),
    `author ${personLine(commit.author)}`,
    `committer ${personLine(commit.committer)}`,
    ...(commit.signature === undefined ? [] : [`gpgsig ${continued(commit.signature)}`]),
  ];
  const links = [
    { oid: commit.tree, type: 'tree' as const },
    ...commit.parents.map((oid) => ({ oid, type: 'commit' as const })),
  ];
  const bytes = Buffer.from(`${headers.join('\n')}\n\n${checkedText(commit.message)}`);
  return buildObject('commit', bytes, commit.signature === undefined ? links : undefined);
}

export function buildTag(tag: NewTag): NewObject {
  // The name is one line of the header: a line break in it would add headers.
  if (tag.tag === '' || /[\p{Cc} ]/u.test(tag.tag))
    throw invalid('The name of a tag must not be empty, nor contain spaces or control characters.');
  const headers = [
    `object ${checkedObjectId(tag.object)}`,
    `type ${tag.type}`,
    `tag ${tag.tag}`,
    `tagger ${personLine(tag.tagger)}`,
  ];
  return buildObject('tag', Buffer.from(`${headers.join('\n')}\n\n${checkedText(tag.message)}`));
}

function buildObject(type: ObjectType, bytes: Buffer, links?: readonly ObjectLink[]): NewObject {
  const oid = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { type, oid, bytes, ...(links && { links }) };
}

function checkedEntryName(name: string | Uint8Array): Buffer {
  const bytes = typeof name === 'string' ? Buffer.from(name) : Buffer.from(name);
  if (bytes.length > MAX_NAME_BYTES)
    throw invalid(`The name of an entry must not be longer than ${MAX_NAME_BYTES} bytes.`);
  if (isUnsafeEntryName(bytes)) throw invalid(`A tree cannot have an entry named ${shown(bytes)}.`);
  return bytes;
}

function personLine({ name, email, time, zone }: GitPerson): string {
  const cleanName = cleaned(name);
  if (cleanName === '') throw invalid('The name of an author, committer or tagger must not be empty.');
  const seconds = Math.floor(time / 1000);
  if (!(seconds >= 0 && seconds <= MAX_SECONDS))
    throw invalid('A date must be between the years 1970 and 9999.');
  return `${cleanName} <${cleaned(email)}> ${seconds} ${zoneText(zone)}`;
}

/** Angle brackets and line breaks delimit the fields of the header, so they cannot be part of a name. */
function cleaned(text: string): string {
  return text.replace(/[<>\p{Cc}]/gu, '').trim();
}

function zoneText(zone: number): string {
  if (!Number.isInteger(zone) || Math.abs(zone) >= 24 * 60)
    throw invalid('A time zone must be less than 24 hours from UTC.');
  const minutes = Math.abs(zone);
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${zone < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}${digits(minutes % 60)}`;
}

/** The further lines of a header begin with a space. */
function continued(text: string): string {
  return checkedText(text).replace(/\n+$/, '').replaceAll('\n', '\n ');
}

function checkedText(text: string): string {
  // Programs that read C strings would not see what follows.
  if (text.includes('\0')) throw invalid('A message or signature must not contain NUL characters.');
  return text;
}

function shown(name: Buffer): string {
  return JSON.stringify(name.toString('utf8', 0, 100));
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}
