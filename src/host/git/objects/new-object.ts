// Builds new git objects (blob, tree, commit, tag) in memory, with their ids.
import { createHash } from 'node:crypto';
import { Failure } from '../../../kernel/failure.ts';
import { mapInSlices, sortInSlices } from '../../../kernel/yield-to-event-loop.ts';
import type { GitPerson } from './commit-object.ts';
import { isUnsafeEntryName } from '../refs/revision.ts';
import { checkedObjectId } from './object-id.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface NewObject {
  type: ObjectType;
  oid: string;
  bytes: Buffer;
}

/** The modes that git itself writes: file, program, folder, symbolic link, submodule. */
export type EntryMode = '100644' | '100755' | '040000' | '120000' | '160000';

export interface NewTreeEntry {
  mode: EntryMode;
  /** Bytes, where a name of an existing tree may not be valid UTF-8. */
  name: string | Uint8Array;
  oid: string;
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
  return buildObject('blob', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Entries may come in any order. */
export function buildTree(entries: readonly NewTreeEntry[]): NewObject {
  const seen = new Set<string>();
  const rows = entries.map((entry) => rowOf(entry, seen));
  return treeOf(rows.toSorted(compareRows));
}

/** For trees that may have many thousand entries. */
export async function buildLargeTree(entries: readonly NewTreeEntry[]): Promise<NewObject> {
  const seen = new Set<string>();
  const rows = await mapInSlices(entries, (entry) => rowOf(entry, seen));
  return treeOf(await sortInSlices(rows, compareRows));
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
  const id = Buffer.from(checkedObjectId(oid), 'hex').toString('latin1');
  return {
    // Git compares names as if those of folders ended with a slash.
    order: mode === '040000' ? `${name}/` : name,
    // Git writes modes without the leading zero.
    row: `${mode.replace(/^0/, '')} ${name}\0${id}`,
  };
}

function compareRows(one: TreeRow, other: TreeRow): number {
  return one.order < other.order ? -1 : Number(one.order > other.order);
}

function treeOf(rows: readonly TreeRow[]): NewObject {
  return buildObject('tree', Buffer.from(rows.map(({ row }) => row).join(''), 'latin1'));
}

export function buildCommit(commit: NewCommit): NewObject {
  const headers = [
    `tree ${checkedObjectId(commit.tree)}`,
    ...commit.parents.map((parent) => `parent ${checkedObjectId(parent)}`),
    `author ${personLine(commit.author)}`,
    `committer ${personLine(commit.committer)}`,
    ...(commit.signature === undefined ? [] : [`gpgsig ${continued(commit.signature)}`]),
  ];
  return buildObject('commit', Buffer.from(`${headers.join('\n')}\n\n${checkedText(commit.message)}`));
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

function buildObject(type: ObjectType, bytes: Buffer): NewObject {
  const oid = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
  return { type, oid, bytes };
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
