// The host's media types: `application/vnd.<vendor>.v3.raw+json` and what we report to have understood of it.
import { Failure } from '../kernel/failure.ts';

const VENDOR_TYPE =
  /^application\/vnd\.[a-z-]+(?:\.(?<version>v3|beta))?(?<param>(?:\.[a-z-]+)*)(?<json>\+json)?$/i;

export interface MediaType {
  /** The word after the version, such as `raw`. */
  param?: string;
  isJson: boolean;
}

/** Reads one Accept value, without its parameters. Undefined for a type that has nothing to do with us. */
export function parseMediaType(type: string): MediaType | undefined {
  const name = type.split(';', 1)[0]!.trim().toLowerCase();
  if (name === 'application/json') return { isJson: true };
  if (name === '' || name === '*/*' || name === 'application/*') return { isJson: false };
  const { param, json } = VENDOR_TYPE.exec(name)?.groups ?? {};
  if (param === undefined) return undefined;
  return { ...(param !== '' && { param: param.slice(1) }), isJson: json !== undefined };
}

/** Refuses an Accept in which nothing is ours. Any vendor's word will do. */
export function checkAccept(accept: string | undefined, produces = 'application/json'): void {
  if (accept === undefined || isKnown(accept)) return;
  const types = accept.split(',');
  if (types.some((type) => parseMediaType(type) !== undefined || type.trim().startsWith(produces))) {
    if (KNOWN.size < MOST_KNOWN) KNOWN.set(accept, describe(types));
    return;
  }
  throw new Failure(
    'not-acceptable',
    `Unsupported 'Accept' header: ${accept}. Must accept 'application/json'.`,
  );
}

/** Clients send the same few values over and over. */
const KNOWN = new Map<string, string>();
const MOST_KNOWN = 100;

function isKnown(accept: string): boolean {
  return KNOWN.has(accept);
}

/** What the media-type response header says after the vendor's word. */
export function describeAccept(accept: string | undefined): string {
  return accept === undefined ? 'v3' : (KNOWN.get(accept) ?? 'v3');
}

function describe(types: string[]): string {
  const understood = types.map(parseMediaType).find((type) => type !== undefined);
  const param = understood?.param === undefined ? '' : `; param=${understood.param}`;
  return `v3${param}${understood?.isJson === true ? '; format=json' : ''}`;
}
