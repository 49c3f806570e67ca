// A manifest as a part of an address: it comes from another site, without a session, and has to last through the login.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';

export interface SentManifest {
  /** As it was sent. */
  text: string;
  /** Of the site, which gets it back. */
  state: string;
}

/** Proxies refuse longer addresses than 8 KB. A manifest that asks for everything takes a quarter of this. */
const MAX_PACKED = 6000;
const MAX_UNPACKED = 256 * 1024;

export function packManifest({ text, state }: SentManifest): string {
  const packed = deflateRawSync(JSON.stringify([text, state])).toString('base64url');
  if (packed.length > MAX_PACKED) throw problem('manifest', 'must be smaller, together with the state');
  return packed;
}

/** Anybody can make one up: it is checked like one that was sent. */
export function unpackManifest(packed: string): SentManifest {
  try {
    if (packed.length > MAX_PACKED) throw new Error('too long');
    const bytes = inflateRawSync(Buffer.from(packed, 'base64url'), { maxOutputLength: MAX_UNPACKED });
    const sent: unknown = JSON.parse(bytes.toString('utf8'));
    if (!Array.isArray(sent) || !sent.every((one) => typeof one === 'string')) throw new Error('no manifest');
    const [text = '', state = ''] = sent;
    return { text, state };
  } catch {
    throw new Failure(
      'malformed',
      'This address is not complete. Begin again at the site that you come from.',
    );
  }
}
