// The events of runs and builds that webhooks can be fired by.

export const EVENT_TYPES = [
  'ACTOR.BUILD.ABORTED',
  'ACTOR.BUILD.CREATED',
  'ACTOR.BUILD.FAILED',
  'ACTOR.BUILD.SUCCEEDED',
  'ACTOR.BUILD.TIMED_OUT',
  'ACTOR.RUN.ABORTED',
  'ACTOR.RUN.CREATED',
  'ACTOR.RUN.FAILED',
  'ACTOR.RUN.RESURRECTED',
  'ACTOR.RUN.SUCCEEDED',
  'ACTOR.RUN.TIMED_OUT',
  'TEST',
] as const;
export type WebhookEventType = (typeof EVENT_TYPES)[number];
