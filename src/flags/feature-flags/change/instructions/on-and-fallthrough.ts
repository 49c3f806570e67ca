// Instructions that turn a flag on and off, and set what it serves without a matching rule and which events are kept.
import { Type } from '../../../../kernel/schema/schema.ts';
import { inEnvironment, ServeInput, VariationId, findVariation, readServe } from './kind.ts';

export const onAndFallthroughKinds = {
  turnFlagOn: inEnvironment(
    { action: 'updateOn', summary: 'Turns targeting on', parameters: {} },
    (config) => ({ ...config, on: true }),
  ),
  turnFlagOff: inEnvironment(
    { action: 'updateOn', summary: 'Turns targeting off', parameters: {} },
    (config) => ({ ...config, on: false }),
  ),
  updateFallthroughVariationOrRollout: inEnvironment(
    {
      action: 'updateFallthrough',
      summary: 'Sets what is served where no target and no rule matches: `variationId` or a rollout',
      parameters: ServeInput,
    },
    (config, serve, { flag }) => ({ ...config, fallthrough: readServe(flag, serve) }),
  ),
  updateOffVariation: inEnvironment(
    {
      action: 'updateOffVariation',
      summary: 'Sets what is served while targeting is off',
      parameters: { variationId: VariationId },
    },
    (config, { variationId }, { flag }) => ({ ...config, offVariation: findVariation(flag, variationId) }),
  ),
  updateTrackEvents: inEnvironment(
    {
      action: 'updateTrackEvents',
      summary: 'Sets whether full events are kept for all evaluations',
      parameters: { trackEvents: Type.Boolean() },
    },
    (config, { trackEvents }) => ({ ...config, trackEvents }),
  ),
  updateTrackEventsFallthrough: inEnvironment(
    {
      action: 'updateFlagFallthroughTrackEvents',
      summary: 'Sets whether full events are kept for evaluations that no target and no rule matches',
      parameters: { trackEvents: Type.Boolean() },
    },
    (config, { trackEvents }) => ({ ...config, trackEventsFallthrough: trackEvents }),
  ),
};
