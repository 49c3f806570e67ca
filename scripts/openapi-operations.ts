// An OpenAPI document as the scripts walk through it: its operations, their bodies, and the check of a value by a schema.
import type { OpenApiDocument } from '../src/kernel/openapi/document.ts';
import { loadCompiler } from '../src/kernel/schema/schema-errors.ts';

export interface Media {
  schema: Record<string, unknown>;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  /** The operation that has the examples of this one. */
  'x-alias-of'?: string;
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, Media> }>;
  security?: Record<string, unknown>[];
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: { default?: unknown };
}

export interface PlacedOperation {
  path: string;
  method: string;
  operation: Operation;
}

export function operationsOf({ paths }: OpenApiDocument): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as Operation,
    })),
  );
}

/** The bodies with their schemas, each with words for where it is. */
export function bodiesOf({ requestBody, responses }: Operation): { where: string; media: Media }[] {
  const inside = (where: string, content: Record<string, Media> = {}) =>
    Object.entries(content).map(([type, media]) => ({ where: `${where} ${type}`, media }));
  return [
    ...inside('request', requestBody?.content),
    ...Object.entries(responses).flatMap(([status, { content }]) => inside(status, content)),
  ];
}

/** What is wrong with the value, or undefined. References lead to the components of the document. */
export function problemWith(
  value: unknown,
  schema: Record<string, unknown>,
  { components }: OpenApiDocument,
): string | undefined {
  const compiled = loadCompiler().Compile({ ...schema, components });
  if (compiled.Check(value)) return undefined;
  const [, errors] = compiled.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`).join('; ');
}
