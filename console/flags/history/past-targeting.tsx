// What a version of a flag served in one environment, in sentences.
import { KeyValues } from '../../ui/card.tsx';
import { Badge } from '../../ui/status.tsx';
import type { Variation } from '../flag.ts';
import { ruleSentence, serveWords, variationName } from '../targeting/clause-words.ts';
import { targetingOf, type TargetingConfig } from '../targeting/targeting.ts';
import type { FlagVersion } from './flag-version.ts';
import { HISTORY } from './history-words.ts';

const WORDS = HISTORY.moment;
/** More rules or keys are in the JSON. */
const MAX_RULES = 100;
const MAX_KEYS = 20;

export function PastTargeting({
  version,
  config,
}: {
  version: FlagVersion;
  config: Record<string, unknown>;
}) {
  const variations = version['variations'] as Variation[];
  const { prerequisites, targets, rules, fallthrough, offVariation } = targetingOf(
    config as unknown as TargetingConfig,
  );
  const listed = (keys: readonly string[]) =>
    keys.slice(0, MAX_KEYS).join(', ') +
    (keys.length > MAX_KEYS ? ` ${WORDS.more(keys.length - MAX_KEYS)}` : '');
  const isOn = config['on'] === true;
  return (
    <KeyValues
      termWidth={140}
      items={[
        [
          WORDS.state,
          <Badge key="state" tone={isOn ? 'ok' : undefined}>
            {isOn ? WORDS.on : WORDS.off}
          </Badge>,
        ],
        ...prerequisites.map(({ key, variation }): [string, string] => [
          WORDS.prerequisite,
          WORDS.needs(key, variation),
        ]),
        ...targets.map(({ contextKind, variation, values }): [string, string] => [
          WORDS.targets(contextKind),
          `${listed(values)} → ${variationName(variations, variation)}`,
        ]),
        ...rules
          .slice(0, MAX_RULES)
          .map((rule, index): [string, string] => [
            WORDS.rule(index + 1),
            `${ruleSentence(rule)} → ${serveWords(rule, variations)}`,
          ]),
        ...(rules.length > MAX_RULES
          ? [[WORDS.rules, WORDS.more(rules.length - MAX_RULES)] as [string, string]]
          : []),
        [WORDS.everybody, serveWords(fallthrough, variations)],
        [WORDS.whenOff, variationName(variations, offVariation)],
      ]}
    />
  );
}
