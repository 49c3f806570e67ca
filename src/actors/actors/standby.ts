// Standby: the settings that an Actor or a task can have for it, and the URL at which it answers.
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';

/** A number and nothing else: a larger one cannot be stored. */
const COUNT = { minimum: 0, maximum: 2_147_483_647 };
const Count = Type.Integer(COUNT);
const described = (description: string) => Type.Integer({ ...COUNT, description });

/** A run that has nothing to do lives at least as long. */
export const MIN_IDLE_SECS = 5;

const FIELDS = {
  isEnabled: Type.Optional(Nullable(Type.Boolean())),
  desiredRequestsPerActorRun: Type.Optional(
    Nullable(described('0 counts as 1, and one above `maxRequestsPerActorRun` as that')),
  ),
  maxRequestsPerActorRun: Type.Optional(Nullable(described('0 counts as 1'))),
  idleTimeoutSecs: Type.Optional(
    Nullable(described(`Less than ${MIN_IDLE_SECS} counts as ${MIN_IDLE_SECS}`)),
  ),
  build: Type.Optional(Nullable(PlainText({ maxLength: 100 }))),
  memoryMbytes: Type.Optional(Nullable(Count)),
  disableStandbyFieldsOverride: Type.Optional(Nullable(Type.Boolean())),
  shouldPassActorInput: Type.Optional(Nullable(Type.Boolean())),
};

export const Standby = Type.Object(FIELDS, { $id: 'ActorStandby' });
export type StandbySettings = Static<typeof Standby>;

export const STANDBY_FIELDS = Object.keys(FIELDS) as (keyof StandbySettings)[];

/** `name` is that of the Actor or the task. */
export function standbyUrlOf(publicUrl: string, username: string, name: string): string {
  return `${publicUrl}/standby/${username}~${name}`;
}
