// Standby: the settings that an Actor or a task can have for it, and the URL at which it answers.
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema.ts';

/** A number and nothing else: a larger one cannot be stored. */
const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });

const FIELDS = {
  isEnabled: Type.Optional(Nullable(Type.Boolean())),
  desiredRequestsPerActorRun: Type.Optional(Nullable(Count)),
  maxRequestsPerActorRun: Type.Optional(Nullable(Count)),
  idleTimeoutSecs: Type.Optional(Nullable(Count)),
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
