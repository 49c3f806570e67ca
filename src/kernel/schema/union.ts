// Decides which branch of a union a value belongs to, from the schemas of the branches.
import type { JsonSchema } from './schema.ts';

type Belongs = (value: unknown) => boolean;

/** The distinct branches of a union, with those of unnamed unions inside it. */
export function branchesOf({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  const branches: JsonSchema[] = [];
  for (const branch of [...anyOf, ...oneOf]) {
    for (const one of isPlainUnion(branch) ? branchesOf(branch) : [branch]) {
      const isKnown = branches.some((known) => known === one || (one.$id && known.$id === one.$id));
      if (!isKnown) branches.push(one);
    }
  }
  return branches;
}

function isPlainUnion({ $id, anyOf, oneOf, properties, allOf }: JsonSchema): boolean {
  const isUnion = anyOf !== undefined || oneOf !== undefined;
  return isUnion && $id === undefined && properties === undefined && allOf === undefined;
}

/** The name of a branch in errors. */
export function nameOfBranch({ $id, type, properties }: JsonSchema): string {
  if ($id !== undefined) return `"${$id}"`;
  const names = Object.keys(properties ?? {});
  return names.length > 0 ? `an object of ${names.join(', ')}` : `a value of type ${String(type ?? 'any')}`;
}

/** Tests whether a value of one of the two belongs to the first; undefined if they cannot be distinguished. */
export function distinguish(branch: JsonSchema, other: JsonSchema): Belongs | undefined {
  const tests: Belongs[] = [];
  // A branch that is itself a union can be distinguished if each of its own branches can.
  for (const one of constraintsOf(branch)) {
    const against = constraintsOf(other).map((two) => differenceOf(one, two));
    if (!against.every((test) => test !== undefined)) return undefined;
    tests.push((value) => against.every((test) => test(value)));
  }
  return (value) => tests.some((test) => test(value));
}

/** The possible values of a property, or of the whole value. */
interface Domain {
  canBeAbsent: boolean;
  /** By their names in JSON; undefined for any type. */
  types: ReadonlySet<string> | undefined;
  /** As JSON texts; undefined for any value of the types. */
  constants: ReadonlySet<string> | undefined;
}

/** The constraints of a branch that is not a union. */
interface BranchConstraints {
  whole: Domain;
  properties: Map<string, Domain>;
  /** The domain of properties without a name in the schema. */
  unnamed: Domain;
}

const ANYTHING: Domain = { canBeAbsent: true, types: undefined, constants: undefined };
const ABSENT: Domain = { canBeAbsent: true, types: new Set(), constants: undefined };

function constraintsOf(schema: JsonSchema): BranchConstraints[] {
  const branches = branchesOf(schema);
  if (branches.length > 0) return branches.flatMap(constraintsOf);
  const parts = partsOf(schema);
  const properties = new Map<string, Domain>();
  for (const { properties: named = {} } of parts) {
    for (const [name, property] of Object.entries(named)) {
      const isRequired = parts.some(({ required = [] }) => required.includes(name));
      properties.set(name, { ...domainOf(property), canBeAbsent: !isRequired });
    }
  }
  const isOpen = parts.some(
    ({ additionalProperties, patternProperties }) =>
      typeof additionalProperties === 'object' || patternProperties !== undefined,
  );
  // A property that a closed object does not name is absent: neither handlers nor honest callers send it.
  const isKnown = !isOpen && parts.some((part) => part.properties !== undefined);
  return [{ whole: wholeOf(parts), properties, unnamed: isKnown ? ABSENT : ANYTHING }];
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(partsOf)];
}

function wholeOf(parts: readonly JsonSchema[]): Domain {
  const domains = parts.map(domainOf);
  return domains.find(({ types, constants }) => types !== undefined || constants !== undefined) ?? ANYTHING;
}

function domainOf(schema: JsonSchema): Domain {
  const branches = branchesOf(schema);
  if (branches.length > 0) return branches.map(domainOf).reduce(unite);
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values !== undefined) {
    const constants = new Set(values.map((value) => JSON.stringify(value)));
    return { canBeAbsent: false, types: new Set(values.map(typeOf)), constants };
  }
  const { type } = schema;
  if (type === undefined) return { ...ANYTHING, canBeAbsent: false };
  const types = [type].flat().map((name) => (name === 'integer' ? 'number' : name));
  return { canBeAbsent: false, types: new Set(types), constants: undefined };
}

function unite(one: Domain, two: Domain): Domain {
  return {
    canBeAbsent: one.canBeAbsent || two.canBeAbsent,
    types: one.types && two.types && one.types.union(two.types),
    constants: one.constants && two.constants && one.constants.union(two.constants),
  };
}

function areDisjoint(one: Domain, two: Domain): boolean {
  if (one.canBeAbsent && two.canBeAbsent) return false;
  if (one.types?.size === 0 || two.types?.size === 0) return true;
  return haveNoneInCommon(one.types, two.types) || haveNoneInCommon(one.constants, two.constants);
}

function haveNoneInCommon(one: Domain['types'], two: Domain['types']): boolean {
  return one !== undefined && two !== undefined && one.isDisjointFrom(two);
}

function isIn({ canBeAbsent, types, constants }: Domain, value: unknown): boolean {
  if (value === undefined) return canBeAbsent;
  return constants?.has(JSON.stringify(value)) ?? types?.has(typeOf(value)) ?? true;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Tests whether a value belongs to the first and not the second. The same property decides in both directions, so no value
 * belongs to both.
 */
function differenceOf(one: BranchConstraints, two: BranchConstraints): Belongs | undefined {
  if (areDisjoint(one.whole, two.whole)) return (value) => isIn(one.whole, value);
  const names = [...new Set([...one.properties.keys(), ...two.properties.keys()])].toSorted();
  const apart = names.filter((name) => areDisjoint(domainIn(one, name), domainIn(two, name)));
  const inBoth = apart.filter((name) => one.properties.has(name) && two.properties.has(name));
  const sign = inBoth.find((name) => one.properties.get(name)!.constants !== undefined) ?? inBoth[0];
  if (sign !== undefined) return (value) => isIn(domainIn(one, sign), memberOf(value, sign));
  const [first] = apart;
  if (first === undefined) return undefined;
  // One stray field does not decide: all properties that the branch requires and the other lacks must be present.
  const owner = one.properties.has(first) ? one : two;
  const own = apart.filter((name) => owner.properties.has(name));
  const isOwner: Belongs = (value) => own.every((name) => memberOf(value, name) !== undefined);
  return owner === one ? isOwner : (value) => !isOwner(value);
}

function domainIn({ properties, unnamed }: BranchConstraints, name: string): Domain {
  return properties.get(name) ?? unnamed;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
