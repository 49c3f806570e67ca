// A result of a run: what an alert shows of it, where it is, and the text of it that is kept for the document.
import {
  KEPT_FLOW_LOCATIONS,
  KEPT_LOCATIONS,
  MAX_FLOW_LOCATIONS,
  MAX_LOCATIONS,
  MAX_MESSAGE_LENGTH,
  MAX_PATH_LENGTH,
} from './sarif-limits.ts';
import { listIn, objectIn, positionIn, textIn, type SarifObject } from './sarif-values.ts';

/** Where it is. The path is empty where it is in no file of the repository. */
interface ResultLocation {
  path: string;
  start_line: number;
  end_line: number;
  start_column: number;
  end_column: number;
}

/** What an instance of an alert shows of a result. */
export interface ResultDetails {
  message: string;
  location: ResultLocation;
}

/** What is the same for all results of a run. */
export interface RunPlaces {
  /** Where the repository was checked out, as the tool knows it. */
  root?: string;
  /** The addresses that locations are relative to, by their names. */
  bases: SarifObject;
}

export function detailsOf(
  result: SarifObject,
  rule: SarifObject | undefined,
  places: RunPlaces,
): ResultDetails | undefined {
  const message = messageOf(objectIn(result['message']), rule);
  if (message === undefined) return undefined;
  return { message, location: locationOf(objectIn(listIn(result['locations'])[0]), places) };
}

/** A message may be a text, or the name of one of the rule's texts with arguments. */
function messageOf(message: SarifObject, rule: SarifObject | undefined): string | undefined {
  const own = textIn(message['text'], MAX_MESSAGE_LENGTH);
  if (own !== undefined && own !== '') return own;
  const id = textIn(message['id'], MAX_MESSAGE_LENGTH);
  const texts = objectIn(rule?.['messageStrings']);
  if (id === undefined || !Object.hasOwn(texts, id)) return undefined;
  const template = textIn(objectIn(texts[id])['text'], MAX_MESSAGE_LENGTH);
  const values = listIn(message['arguments']).map((value) => textIn(value, MAX_MESSAGE_LENGTH) ?? '');
  return template
    ?.replaceAll(/\{(\d{1,3})\}/g, (whole, index: string) => values[Number(index)] ?? whole)
    .slice(0, MAX_MESSAGE_LENGTH);
}

function locationOf(location: SarifObject, places: RunPlaces): ResultLocation {
  const physical = objectIn(location['physicalLocation']);
  const region = objectIn(physical['region']);
  const startLine = positionIn(region['startLine']) ?? 1;
  const startColumn = positionIn(region['startColumn']) ?? 1;
  // An end before the start would break what shows it.
  const endLine = Math.max(positionIn(region['endLine']) ?? startLine, startLine);
  const endColumn = positionIn(region['endColumn']) ?? startColumn;
  return {
    path: pathOf(objectIn(physical['artifactLocation']), places) ?? '',
    start_line: startLine,
    end_line: endLine,
    start_column: startColumn,
    end_column: endLine > startLine ? endColumn : Math.max(endColumn, startColumn),
  };
}

/** Undefined where it is outside of the repository. */
function pathOf({ uri, uriBaseId }: SarifObject, { root, bases }: RunPlaces): string | undefined {
  const own = typeof uri === 'string' && uri.length <= MAX_PATH_LENGTH ? uri : undefined;
  if (own === undefined) return undefined;
  const base =
    typeof uriBaseId === 'string' && Object.hasOwn(bases, uriBaseId)
      ? textIn(objectIn(bases[uriBaseId])['uri'], MAX_PATH_LENGTH)
      : undefined;
  // An absolute address is relative to nothing; without the address of the checkout, the base is taken for it.
  const folder = base === undefined || root === undefined ? undefined : repositoryPath(base, root);
  const isRelative = repositoryPath(own) !== undefined;
  return repositoryPath(isRelative && folder !== undefined ? `${folder}/${own}` : own, root ?? base);
}

/** Undefined where the result is within the limits, else what is wrong. */
export function limitProblem(result: SarifObject): string | undefined {
  for (const member of ['locations', 'relatedLocations']) {
    const { length } = listIn(result[member]);
    if (length > MAX_LOCATIONS) return `has ${length} ${member}; the limit is ${MAX_LOCATIONS}`;
  }
  const steps = flowLengths(result).reduce((sum, length) => sum + length, 0);
  return steps > MAX_FLOW_LOCATIONS
    ? `has ${steps} thread flow locations; the limit is ${MAX_FLOW_LOCATIONS}`
    : undefined;
}

function flowLengths(result: SarifObject): number[] {
  return listIn(result['codeFlows']).flatMap((flow) =>
    listIn(objectIn(flow)['threadFlows']).map((thread) => listIn(objectIn(thread)['locations']).length),
  );
}

/**
 * The JSON of the result, without the two brackets at its end: its properties come last, so that those of the alert can be
 * appended when the document is read.
 */
export function keptText(result: SarifObject): string {
  const { properties, ...others } = trimmed(result);
  const { 'github/alertNumber': _number, 'github/alertUrl': _url, ...own } = objectIn(properties);
  return `${JSON.stringify(others).slice(0, -1)},"properties":${JSON.stringify(own).slice(0, -1)}`;
}

function trimmed(result: SarifObject): SarifObject {
  const kept: SarifObject = { ...result };
  for (const member of ['locations', 'relatedLocations'])
    if (listIn(kept[member]).length > KEPT_LOCATIONS)
      kept[member] = listIn(kept[member]).slice(0, KEPT_LOCATIONS);
  if (flowLengths(result).reduce((sum, length) => sum + length, 0) <= KEPT_FLOW_LOCATIONS) return kept;
  let left = KEPT_FLOW_LOCATIONS;
  kept['codeFlows'] = listIn(result['codeFlows']).map((flow) => ({
    ...objectIn(flow),
    threadFlows: listIn(objectIn(flow)['threadFlows']).flatMap((thread) => {
      const locations = listIn(objectIn(thread)['locations']).slice(0, left);
      left -= locations.length;
      return locations.length === 0 ? [] : [{ ...objectIn(thread), locations }];
    }),
  }));
  return kept;
}

/** A drive letter is no scheme. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const ABSOLUTE = /^(?:\/|[a-z]:\/)/i;

/**
 * From the address that a tool wrote to a path inside of the repository. Undefined for what is not inside of the
 * repository: other schemes, such as `javascript:`, and files outside of the checkout. `root` is the address of the
 * checkout, as the tool knows it.
 */
function repositoryPath(uri: string, root?: string): string | undefined {
  const path = filePathOf(uri);
  if (path === undefined) return undefined;
  const inside = ABSOLUTE.test(path) ? below(path, root === undefined ? undefined : filePathOf(root)) : path;
  return inside === undefined ? undefined : normalized(inside);
}

function filePathOf(uri: string): string | undefined {
  if (uri.length > MAX_PATH_LENGTH) return undefined;
  const plain = uri.replaceAll('\\', '/');
  if (!SCHEME.test(plain)) return decoded(plain);
  const [, path] = /^file:(?:\/\/[^/]*)?(\/.*)$/is.exec(plain) ?? [];
  // `file:///C:/work` names a drive.
  return path === undefined ? undefined : decoded(path).replace(/^\/(?=[a-z]:\/)/i, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function below(path: string, root: string | undefined): string | undefined {
  if (root === undefined || !ABSOLUTE.test(root)) return undefined;
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

function normalized(path: string): string | undefined {
  if (!path.isWellFormed() || hasControlCharacter(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

function hasControlCharacter(path: string): boolean {
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
