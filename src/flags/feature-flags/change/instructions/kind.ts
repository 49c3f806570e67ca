// What a kind of instruction is: where it works, the permission it takes, its parameters, and what it does to a flag.
import { areEqual } from '../../../../kernel/patch/json-value.ts';
import type { Static, TObject } from '../../../../kernel/schema.ts';
import type { Parameters } from '../../../instructions/kinds.ts';
import type { Flag, FlagConfig } from '../../flag.ts';

/** What instructions name and only the database knows. */
export interface References {
  /** By key; without their configurations. */
  flags: ReadonlyMap<string, Flag>;
  memberIds: ReadonlySet<string>;
  teamKeys: ReadonlySet<string>;
}

export interface Context {
  environmentKey?: string;
  now: number;
  newUuid(): string;
  references: References;
}

/** Where an instruction finds itself: the flag is as the instructions before left it. */
export interface Scope extends Context {
  flag: Flag;
}

export interface Row {
  /** Works in one environment, which then has to be named, or in all at once. */
  level: 'environment' | 'flag';
  /** The permission, in the words of policies. */
  action: string;
  /** What it does, for the documentation. */
  summary: string;
  parameters: Parameters;
  /** The parameters have been checked. Gives back the same flag where nothing changes. */
  apply(scope: Scope, parameters: never): Flag;
}

type Values<P extends Parameters> = Static<TObject<P>>;
type Wording<P extends Parameters> = Pick<Row, 'action' | 'summary'> & { parameters: P };

/** A row that changes the configuration in one environment. */
export function inEnvironment<P extends Parameters>(
  wording: Wording<P>,
  change: (config: FlagConfig, values: Values<P>, scope: Scope) => FlagConfig,
): Row {
  return {
    level: 'environment',
    ...wording,
    apply(scope, values: Values<P>) {
      const { flag, environmentKey = '' } = scope;
      const before = flag.environments[environmentKey]!;
      const after = change(before, values, scope);
      if (isSame(before, after)) return flag;
      return { ...flag, environments: { ...flag.environments, [environmentKey]: after } };
    },
  };
}

/** A row that changes what is the same in all environments. */
export function onFlag<P extends Parameters>(
  wording: Wording<P>,
  change: (flag: Flag, values: Values<P>, scope: Scope) => Flag,
): Row {
  return {
    level: 'flag',
    ...wording,
    apply(scope, values: Values<P>) {
      const after = change(scope.flag, values, scope);
      return isSame(scope.flag, after) ? scope.flag : after;
    },
  };
}

/** Members that are shared need not be walked through. */
function isSame<Thing extends object>(before: Thing, after: Thing): boolean {
  const names = Object.keys({ ...before, ...after }) as (keyof Thing)[];
  return names.every((name) => before[name] === after[name] || areEqual(before[name], after[name]));
}

/** With the member, or without it where there is nothing to say. */
export function withText<Thing extends object>(
  thing: Thing,
  member: string,
  text: string | undefined,
): Thing {
  const { [member]: _, ...rest } = thing as Record<string, unknown>;
  return (text === undefined || text === '' ? rest : { ...rest, [member]: text }) as Thing;
}
