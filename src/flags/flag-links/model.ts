// The schemas of the links of a flag, and what a patch may change.
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { Key } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';

export interface FlagLink {
  id: string;
  flagId: string;
  /** The id, unless the body gave a key. */
  key: string;
  memberId: string;
  integrationKey?: string;
  deepLink: string;
  /** When the linked resource was created. */
  timestamp: number;
  title?: string;
  description?: string;
  metadata?: Record<string, string>;
  version: number;
  createdAt: number;
}

export const MAX_LINKS = 100;

const EDITABLE = {
  title: Type.Optional(PlainText({ maxLength: 1000 })),
  description: Type.Optional(PlainText({ maxLength: 10_000 })),
};

export const FlagLinkPost = Type.Object(
  {
    key: Type.Optional(Key()),
    integrationKey: Type.Optional(Key('What is at the other end; none for a mere URL')),
    timestamp: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'In epoch milliseconds' }),
    ),
    // No scheme that a browser would execute.
    deepLink: Type.String({ pattern: '^https?://[^\\s\\u0000]+$', maxLength: 2000 }),
    ...EDITABLE,
    metadata: Type.Optional(
      Type.Record(Type.String(), PlainText({ maxLength: 2000 }), { maxProperties: 50 }),
    ),
  },
  { $id: 'FlagLinkPost' },
);

export const FlagLinkSchema = Type.Object(
  {
    _links: Links,
    _id: Type.String(),
    _key: Type.String(),
    _integrationKey: Type.Optional(Type.String()),
    _deepLink: Type.String(),
    _timestamp: Type.Object({
      milliseconds: Type.Integer(),
      seconds: Type.Integer(),
      rfc3339: Type.String(),
      simple: Type.String(),
    }),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    _metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    _createdAt: Type.Integer(),
    _member: Type.Object({ _id: Type.String(), _links: Links }),
  },
  { $id: 'FlagLinkRep' },
);

export function toFlagLink(link: FlagLink, parent: string): Static<typeof FlagLinkSchema> {
  const { id, key, memberId, integrationKey, title, description, metadata, timestamp } = link;
  const iso = new Date(timestamp).toISOString();
  return {
    _links: { self: linkTo(`${parent}/${id}`), parent: linkTo(parent) },
    _id: id,
    _key: key,
    ...(integrationKey !== undefined && { _integrationKey: integrationKey }),
    _deepLink: link.deepLink,
    _timestamp: {
      milliseconds: timestamp,
      seconds: Math.floor(timestamp / 1000),
      rfc3339: iso,
      simple: iso.slice(0, 19).replace('T', ' '),
    },
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { _metadata: metadata }),
    _createdAt: link.createdAt,
    _member: { _id: memberId, _links: { self: linkTo(`/members/${memberId}`) } },
  };
}

const edit = editor({ editable: Type.Object(EDITABLE) });

export function patchFlagLink(before: FlagLink, patch: DocumentPatch, parent: string): FlagLink {
  const { title: _title, description: _description, ...kept } = before;
  return { ...kept, ...edit(toFlagLink(before, parent), patch) };
}
