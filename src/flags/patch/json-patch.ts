// JSON patch (RFC 6902): applies a list of operations to a document, all or none, without changing its input.
import { Failure } from '../../kernel/failure.ts';
import {
  areEqual,
  isContainer,
  isDeeperThan,
  isObject,
  MAX_DEPTH,
  propertyOf,
  setProperty,
  type Container,
} from '../../kernel/json/json-value.ts';
import {
  forbidEditAt,
  forbidEditsWithin,
  parsePointer,
  shorten,
  type Locked,
  type Pointer,
} from '../../kernel/json/pointer.ts';

export interface JsonPatchRules {
  /**
   * Tells optional members: removing an absent one does nothing, and replacing or adding one also creates the objects
   * missing on its path.
   */
  optional?: (pointer: string) => boolean;
  locked?: Locked;
}

export const MAX_OPERATIONS = 5_000;

/**
 * The limit on what `copy` and `move` carry in one patch: each value and each character of its text counts as one.
 * Without it, thirty copies of a document into itself would make a billion documents.
 */
export const MAX_CARRIED = 300_000;

/**
 * The limit on elements shifted in lists by one patch: each insertion and removal shifts all elements behind it. Without
 * it, five thousand of them at the front of a long list would block the event loop.
 */
export const MAX_MOVED = 20_000_000;

type Operation =
  | { op: 'add' | 'replace' | 'test'; path: Pointer; value: unknown }
  | { op: 'remove'; path: Pointer }
  | { op: 'move' | 'copy'; path: Pointer; from: Pointer };

interface Draft {
  root: unknown;
  /** Containers created for this draft. All others are shared with the input, and copied before a write. */
  readonly owned: WeakSet<object>;
  readonly rules: JsonPatchRules;
  carried: number;
  moved: number;
}

/** The result shares unchanged parts with the document and the operations: treat all three as immutable. */
export function applyJsonPatch(document: unknown, operations: unknown, rules: JsonPatchRules = {}): unknown {
  if (!Array.isArray(operations)) throw badPatch('A JSON patch is a list of operations.');
  if (operations.length > MAX_OPERATIONS) {
    throw badPatch(`A JSON patch has at most ${MAX_OPERATIONS} operations.`);
  }
  const parsed = operations.map((raw, index) => naming(raw, index, () => parseOperation(raw)));
  const draft: Draft = { root: document, owned: new WeakSet(), rules, carried: 0, moved: 0 };
  for (const [index, operation] of parsed.entries()) {
    naming(operations[index], index, () => perform(draft, operation));
  }
  return draft.root;
}

/** Runs one step of one operation, and adds the operation to the message of its failure. */
function naming<T>(raw: unknown, index: number, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const words = isObject(raw) ? [raw.op, raw.path].filter((word) => typeof word === 'string') : [];
    const name = `operations[${index}] (${words.map(shorten).join(' ')})`;
    throw new Failure(error.kind, `${name}: ${error.message}.`, error.details);
  }
}

function parseOperation(raw: unknown): Operation {
  if (!isObject(raw)) throw badPatch('an operation is an object');
  if (typeof raw.path !== 'string') throw badPatch('"path" is missing or not a string');
  const path = parsePointer(raw.path);
  switch (raw.op) {
    case 'remove':
      return { op: raw.op, path };
    case 'add':
    case 'replace':
    case 'test':
      if (raw.value === undefined) throw badPatch('"value" is missing');
      if (isDeeperThan(MAX_DEPTH - path.tokens.length, raw.value)) throw tooDeep();
      return { op: raw.op, path, value: raw.value };
    case 'move':
    case 'copy':
      if (typeof raw.from !== 'string') throw badPatch('"from" is missing or not a string');
      return { op: raw.op, path, from: parsePointer(raw.from) };
    default:
      throw badPatch('"op" is not one of add, remove, replace, move, copy, test');
  }
}

function perform(draft: Draft, operation: Operation): void {
  const { locked } = draft.rules;
  if (locked && operation.op !== 'test') forbidEditAt(operation.path, locked);
  switch (operation.op) {
    case 'add':
    case 'replace':
      return write(draft, operation.path, operation.value, operation.op);
    case 'remove':
      return remove(draft, operation.path, isOptional(draft, operation.path));
    case 'copy':
      return write(draft, operation.path, carry(draft, operation.from, operation.path), 'add');
    case 'move':
      if (locked) forbidEditAt(operation.from, locked);
      return move(draft, operation.from, operation.path);
    case 'test': {
      // A missing location fails the test like a different value: the document has changed.
      const found = find(draft.root, operation.path);
      if (found === undefined) throw new Failure('conflict', 'the test failed, there is nothing');
      if (!areEqual(found, operation.value))
        throw new Failure('conflict', 'the test failed, the value differs');
    }
  }
}

function move(draft: Draft, from: Pointer, path: Pointer): void {
  if (path.text.startsWith(`${from.text}/`)) throw badPatch('a value cannot be moved into itself');
  const value = carry(draft, from, path);
  if (from.text === path.text) return;
  remove(draft, from, false);
  write(draft, path, value, 'add');
}

function write(draft: Draft, path: Pointer, value: unknown, op: 'add' | 'replace'): void {
  const token = path.tokens.at(-1);
  if (token === undefined) {
    forbidEdits(draft, draft.root, value, path);
    draft.root = value;
    return;
  }
  const optional = isOptional(draft, path);
  const container = open(draft, path, optional);
  if (Array.isArray(container)) {
    if (op === 'add') {
      splice(draft, container, token === '-' ? container.length : indexIn(container.length, token), value);
      return;
    }
    const index = indexIn(container.length - 1, token);
    forbidEdits(draft, container[index], value, path);
    container[index] = value;
  } else {
    const current = propertyOf(container, token);
    if (op === 'replace' && current === undefined && !optional) throw nothingThere();
    forbidEdits(draft, current, value, path);
    setProperty(container, token, value);
  }
}

function remove(draft: Draft, path: Pointer, optional: boolean): void {
  const token = path.tokens.at(-1);
  if (token === undefined) throw badPatch('the whole document cannot be removed');
  if (find(draft.root, path) === undefined) {
    if (optional) return;
    throw nothingThere();
  }
  const container = open(draft, path, false);
  if (Array.isArray(container)) splice(draft, container, Number(token));
  else delete container[token];
}

/** Inserts the values, or removes the element at the index if there are none. */
function splice(draft: Draft, list: unknown[], index: number, ...values: unknown[]): void {
  draft.moved += list.length - index;
  if (draft.moved > MAX_MOVED) {
    throw badPatch('too many changes at the front of a long list; add to its end ("/-") or replace it');
  }
  list.splice(index, values.length === 0 ? 1 : 0, ...values);
}

/** The container of the path's last token; copies all shared containers on the way. */
function open(draft: Draft, path: Pointer, make: boolean): Container {
  let container = own(draft, draft.root);
  draft.root = container;
  for (const token of path.tokens.slice(0, -1)) {
    const found = childOf(container, token);
    const child = own(draft, found === undefined && make && isObject(container) ? {} : found);
    if (Array.isArray(container)) container[Number(token)] = child;
    else setProperty(container, token, child);
    container = child;
  }
  return container;
}

function own(draft: Draft, value: unknown): Container {
  if (!isContainer(value)) throw badPatch('the path leads through what is no object and no list');
  if (draft.owned.has(value)) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  draft.owned.add(copy);
  return copy;
}

function find(root: unknown, path: Pointer): unknown {
  let value = root;
  for (const token of path.tokens) {
    if (!isContainer(value)) return undefined;
    value = childOf(value, token);
  }
  return value;
}

function childOf(container: Container, token: string): unknown {
  if (!Array.isArray(container)) return propertyOf(container, token);
  return isIndex(token) ? container[Number(token)] : undefined;
}

function isIndex(token: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/.test(token);
}

function indexIn(last: number, token: string): number {
  if (!isIndex(token)) throw badPatch(`"${shorten(token)}" is no index of a list`);
  if (Number(token) > last) throw badPatch('the index is beyond the end of the list');
  return Number(token);
}

/** A copy that shares no container with the draft, so that a write to one does not change the other. */
function carry(draft: Draft, from: Pointer, path: Pointer): unknown {
  const value = find(draft.root, from);
  if (value === undefined) throw badPatch('there is nothing at "from"');
  return cloneFor(draft, value, path.tokens.length);
}

function cloneFor(draft: Draft, value: unknown, depth: number): unknown {
  draft.carried += 1 + (typeof value === 'string' ? value.length : 0);
  if (draft.carried > MAX_CARRIED) throw badPatch('the patch copies and moves too much');
  if (!isContainer(value)) return value;
  if (depth === MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => cloneFor(draft, item, depth + 1));
  const copy = {};
  for (const [key, member] of Object.entries(value)) {
    draft.carried += key.length;
    setProperty(copy, key, cloneFor(draft, member, depth + 1));
  }
  return copy;
}

function forbidEdits(draft: Draft, before: unknown, written: unknown, path: Pointer): void {
  if (draft.rules.locked) forbidEditsWithin(before, written, path.text, draft.rules.locked);
}

function isOptional(draft: Draft, path: Pointer): boolean {
  return draft.rules.optional?.(path.text) ?? false;
}

function badPatch(message: string): Failure {
  return new Failure('bad-patch', message);
}

function nothingThere(): Failure {
  return badPatch('there is nothing at this path');
}

function tooDeep(): Failure {
  return badPatch(`the document would be nested deeper than ${MAX_DEPTH} levels`);
}
