// Permission boundaries: what the personal token that started something allows at most, for as long as that goes on. ADR 0071.
import { hash } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { TokenPermissions } from './store-tokens.ts';

/** Every layer must allow. A layer is what one token may do: roles by reference, only an inline policy by value. */
export interface Boundary {
  /** The hash of the layers: equal boundaries are stored once. */
  id: string;
  layers: readonly TokenPermissions[];
}

/** Each further token that changes the same run adds a layer, and all of them are stored with it. */
const MAX_LAYERS = 20;

/** Undefined for a token that narrows nothing. */
export function boundaryOfToken({ role, customRoles, inlinePolicy }: TokenPermissions): Boundary | undefined {
  if (role === 'owner') return undefined;
  return boundaryOf([
    { ...(role !== undefined && { role }), customRoles, ...(inlinePolicy !== undefined && { inlinePolicy }) },
  ]);
}

/** What both allow. */
export function intersect(one: Boundary | undefined, other: Boundary | undefined): Boundary | undefined {
  if (one === undefined || other === undefined || one.id === other.id) return one ?? other;
  return boundaryOf([...one.layers, ...other.layers]);
}

function boundaryOf(layers: readonly TokenPermissions[]): Boundary {
  const byText = new Map(layers.map((layer) => [JSON.stringify(layer), layer]));
  if (byText.size > MAX_LAYERS)
    throw new Failure(
      'forbidden',
      `Tokens with ${MAX_LAYERS} different policies have changed this run. Start a new one instead.`,
    );
  const texts = [...byText.keys()].sort();
  return {
    id: hash('sha256', texts.join('\n'), 'base64url'),
    layers: texts.map((text) => byText.get(text)!),
  };
}
