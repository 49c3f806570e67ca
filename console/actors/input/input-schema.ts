// The input schema of a build, as far as a form needs it.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { InputObject } from './secrets.ts';

export interface InputField {
  title?: string;
  type?: string | readonly string[];
  description?: string;
  editor?: string;
  default?: unknown;
  prefill?: unknown;
  example?: unknown;
  enum?: readonly string[];
  enumTitles?: readonly string[];
  enumSuggestedValues?: readonly string[];
  minimum?: number;
  maximum?: number;
  unit?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  isSecret?: boolean;
  nullable?: boolean;
  sectionCaption?: string;
  sectionDescription?: string;
  groupCaption?: string;
  groupDescription?: string;
  placeholderKey?: string;
  placeholderValue?: string;
  dateType?: string;
  items?: { type?: string; enum?: readonly string[]; enumTitles?: readonly string[] };
}

export interface InputSchema {
  title?: string;
  description?: string;
  properties: Readonly<Record<string, InputField>>;
  required?: readonly string[];
}

/** Undefined where it is no schema that a form can be drawn from. */
function parseSchema(text: string | null | undefined): InputSchema | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const schema = JSON.parse(text) as Partial<InputSchema> | null;
    const isUsable = typeof schema?.properties === 'object' && schema.properties !== null;
    return isUsable ? (schema as InputSchema) : undefined;
  } catch {
    return undefined;
  }
}

export function secretNames(schema: InputSchema | undefined): string[] {
  if (schema === undefined) return [];
  return Object.entries(schema.properties)
    .filter(([, { isSecret }]) => isSecret === true)
    .map(([name]) => name);
}

/** What a new form is filled in with: prefills, and where there is none, defaults. */
export function firstValue(schema: InputSchema | undefined): InputObject {
  if (schema === undefined) return {};
  return Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, { prefill, default: fallback, isSecret }]) => {
      const value = prefill ?? fallback;
      return value === undefined || isSecret === true ? [] : [[name, value]];
    }),
  );
}

/** The schema of a build; `isPending` until it is known whether there is one. */
export function useBuildSchema(buildId: string | undefined) {
  const { data, error, isPending } = useRead<{ data: { inputSchema?: string | null } }>(
    { call: { api: 'actors', path: path`/actor-builds/${buildId ?? ''}` } },
    { isEnabled: buildId !== undefined },
  );
  return {
    schema: parseSchema(data?.data.inputSchema),
    isPending: buildId !== undefined && isPending && error === null,
  };
}
