// Readers for the texts of settings: each returns the value, or throws a message that completes "must be …".
import { resolve } from 'node:path';
import type { Quota } from '../kernel/limits/window.ts';
import { readS3Location } from '../kernel/storage/blobs/s3-location.ts';

export const text = (value: string): string => value;

export function integer(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (value.trim() === '' || !Number.isInteger(number) || number < min || number > max) {
      throw new Error(`a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (value: string): Word => {
    const word = words.find((one) => one === value);
    if (word === undefined) throw new Error(`one of ${words.join(', ')}`);
    return word;
  };
}

export function yesOrNo(value: string): boolean {
  if (['1', 'true', 'on', 'yes'].includes(value)) return true;
  if (['0', 'false', 'off', 'no'].includes(value)) return false;
  throw new Error('1 or 0');
}

export function url(...schemes: string[]) {
  return (value: string): string => {
    if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value.replace(/\/$/, '');
    throw new Error(`a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
  };
}

/** The name of another server, which that compares as text: a slash at its end counts. */
export function issuer(value: string): string {
  const { username, password, search, hash } = new URL(url('https:', 'http:')(value));
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    throw new Error('a URL without a name, a password, a query and a fragment');
  return value;
}

/** Words that stand in cookies, patterns and links as they are. */
const PATH = /^(?:\/[\w.~-]+)*$/;

/** Where this server is reached. It is part of links, so it must not contain a password. */
export function publicUrl(value: string): string {
  const { username, password, origin, pathname, search, hash } = new URL(url('http:', 'https:')(value));
  if (username !== '' || password !== '') throw new Error('a URL without a name and a password');
  if (search !== '' || hash !== '') throw new Error('a URL without a query and a fragment');
  const path = pathname.replace(/\/$/, '');
  if (!PATH.test(path))
    throw new Error('a URL whose path, if it has one, is of letters, digits and . _ ~ - between slashes');
  return origin + path;
}

/** What has no path of its own: other nodes reach this one without a proxy, and an origin has none. */
export function originUrl(value: string): string {
  const read = publicUrl(value);
  if (new URL(read).pathname !== '/') throw new Error('a URL that ends with the host or port');
  return read;
}

/** The location of large objects: a folder, or a bucket of object storage. */
export function folderOrBucket(value: string): string {
  if (!isBucket(value)) return resolve(value);
  readS3Location(value);
  return value;
}

export function isBucket(blobs: string | undefined): boolean {
  return blobs?.startsWith('s3:') ?? false;
}

export function list(value: string): string[] {
  return value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const QUOTA = /^(?<name>[a-z_]+\.[a-z_]+)=(?<known>\d+)(?::(?<anonymous>\d+))?\/(?<seconds>[1-9]\d*)$/;

/** `host.core=5000/3600`, or with a lower limit for callers without a token `host.core=5000:60/3600`; joined by commas. */
export function quotas(value: string): Record<string, Quota> {
  return Object.fromEntries(
    list(value).map((part) => {
      const { name, known, anonymous, seconds } = QUOTA.exec(part)?.groups ?? {};
      if (name === undefined) throw new Error('like host.core=5000/3600 or host.core=5000:60/3600');
      return [
        name,
        { known: Number(known), anonymous: Number(anonymous ?? known), seconds: Number(seconds) },
      ];
    }),
  );
}
