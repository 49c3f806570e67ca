// The type of a kind of instruction: its level, the permission it takes, its parameters, and its effect on a flag.
import { areEqual } from '../../../../kernel/json/json-value.ts';
import type { Static, TObject } from '../../../../kernel/schema/schema.ts';
import type { Parameters } from '../../../patch/instructions.ts';
import type { Flag, FlagConfig } from '../../flag.ts';

/** The names by which a change refers to other flags, members and teams. */
export interface ReferenceKeys {
  flagKeys: readonly string[];
  memberIds: readonly string[];
  teamKeys: readonly string[];
}

/** The resources that instructions refer to, looked up in the database. */
export interface References {
  /** By key; without their configurations. */
  flags: ReadonlyMap<string, Flag>;
  memberIds: ReadonlySet<string>;
  teamKeys: ReadonlySet<string>;
}

export interface InstructionContext {
  environmentKey?: string;
  now: number;
  newUuid(): string;
  references: References;
}

/** The flag is as the instructions before this one left it. */
export interface InstructionScope extends InstructionContext {
  flag: Flag;
}

export interface FlagKindRow {
  /** For one environment, which the patch must name, or for all at once. */
  level: 'environment' | 'flag';
  /** The action of policies that it takes. */
  action: string;
  /** The effect, for the documentation. */
  summary: string;
  parameters: Parameters;
  /** The parameters have been checked. Returns the same flag when nothing changes. */
  apply(scope: InstructionScope, parameters: never): Flag;
}

type Values<P extends Parameters> = Static<TObject<P>>;
type KindText<P extends Parameters> = Pick<FlagKindRow, 'action' | 'summary'> & { parameters: P };

/** A kind that changes the configuration in one environment. */
export function inEnvironment<P extends Parameters>(
  text: KindText<P>,
  change: (config: FlagConfig, values: Values<P>, scope: InstructionScope) => FlagConfig,
): FlagKindRow {
  return {
    level: 'environment',
    ...text,
    apply(scope, values: Values<P>) {
      const { flag, environmentKey = '' } = scope;
      const before = flag.environments[environmentKey]!;
      const after = change(before, values, scope);
      if (isSame(before, after)) return flag;
      return { ...flag, environments: { ...flag.environments, [environmentKey]: after } };
    },
  };
}

/** A kind that changes what is the same in all environments. */
export function onFlag<P extends Parameters>(
  text: KindText<P>,
  change: (flag: Flag, values: Values<P>, scope: InstructionScope) => Flag,
): FlagKindRow {
  return {
    level: 'flag',
    ...text,
    apply(scope, values: Values<P>) {
      const after = change(scope.flag, values, scope);
      return isSame(scope.flag, after) ? scope.flag : after;
    },
  };
}

/** Members that are the same object need no comparison. */
function isSame<Thing extends object>(before: Thing, after: Thing): boolean {
  const names = Object.keys({ ...before, ...after }) as (keyof Thing)[];
  return names.every((name) => before[name] === after[name] || areEqual(before[name], after[name]));
}

/** Sets the member, or removes it when the text is empty or undefined. */
export function withText<Thing extends object>(
  thing: Thing,
  member: string,
  text: string | undefined,
): Thing {
  const { [member]: _, ...rest } = thing as Record<string, unknown>;
  return (text === undefined || text === '' ? rest : { ...rest, [member]: text }) as Thing;
}
