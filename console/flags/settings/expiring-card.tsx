// Targets of a flag in one environment that are removed by themselves: listed, added, changed, and kept after all.
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import type { Call } from '../../api/call.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { currentTime } from '../../lib/clock.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { variationText } from '../flag.ts';
import { useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { ownZone } from '../save/when-fields.tsx';
import type { FlagDetail } from './flag-detail.ts';
import { GuardedDialog } from './guarded-dialog.tsx';
import {
  expiringPatch,
  useExpiringTargets,
  type ExpiringTarget,
  type FlagPlace,
} from './settings-queries.ts';
import { EXPIRING_WORDS as WORDS, SETTINGS_WORDS } from './settings-words.ts';
import type { EnvironmentCardProps } from './tracking-card.tsx';

const CHANGED = ['flag'];
const DAY_MS = 86_400_000;
/** More do not fit a list to choose from. */
const MOST_TARGETS = 500;

interface FlagTarget {
  variationId: string;
  contextKind: string;
  contextKey: string;
}

type ExpiringAct = { kind: 'new' } | { kind: 'change' | 'remove'; target: ExpiringTarget };

export function ExpiringCard({ project, flag, environment }: EnvironmentCardProps) {
  const place: FlagPlace = { project, flag: flag.key, environment: environment.key };
  const { data, error, refetch } = useExpiringTargets(place);
  const mayChange = useFlagPermissions(project, flag.key, environment.key).may('updateExpiringTargets');
  const [act, setAct] = useState<ExpiringAct>();
  const close = () => setAct(undefined);
  const targets = targetsOf(flag, environment.key);
  const shared = { place, flag, environment, onClose: close };
  return (
    <Card
      title={WORDS.title(environment.key)}
      icon="hour"
      actions={
        mayChange && (
          <Button
            size="sm"
            icon="plus"
            disabledReason={
              flag.archived ? SETTINGS_WORDS.archived : targets.length === 0 ? WORDS.noTargets : undefined
            }
            onClick={() => setAct({ kind: 'new' })}
          >
            {SETTINGS_WORDS.add}
          </Button>
        )
      }
    >
      <p className="t13 muted">{WORDS.text}</p>
      {data === undefined && error === null && <Skeleton lines={2} />}
      {data === undefined && error !== null && (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
      {data?.items.length === 0 && <p className="muted t13">{WORDS.none}</p>}
      <ul className="set-rows">
        {data?.items.map((target) => (
          <li key={target._id}>
            <span className="grow two">
              <b className="mono">{target.contextKey}</b>
              <small>
                {target.contextKind} · {variationName(flag, target.variationId ?? '')} · {WORDS.expires}{' '}
                <Time at={target.expirationDate} />
              </small>
            </span>
            {mayChange && (
              <>
                <Button
                  size="sm"
                  tone="ghost"
                  aria-label={WORDS.changeOf(target.contextKey)}
                  onClick={() => setAct({ kind: 'change', target })}
                >
                  {WORDS.change}
                </Button>
                <Button
                  size="sm"
                  tone="ghost"
                  aria-label={WORDS.removeOf(target.contextKey)}
                  onClick={() => setAct({ kind: 'remove', target })}
                >
                  {WORDS.remove}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {act?.kind === 'new' && <ExpiryDialog {...shared} targets={targets} />}
      {act?.kind === 'change' && <ExpiryDialog {...shared} targets={targets} present={act.target} />}
      {act?.kind === 'remove' && <KeepDialog {...shared} target={act.target} />}
    </Card>
  );
}

function variationName(flag: FlagDetail, id: string): string {
  const variation = flag.variations.find(({ _id }) => _id === id);
  return variation === undefined ? id : variationText(variation);
}

/** Who is targeted individually; lists of contexts stand beside those of users. */
function targetsOf(flag: FlagDetail, environment: string): FlagTarget[] {
  const { targets = [], contextTargets = [] } = flag.environments?.[environment] ?? {};
  return [...targets, ...contextTargets]
    .flatMap(({ values, variation, contextKind = 'user' }) =>
      values.map((contextKey) => ({
        variationId: flag.variations[variation]?._id ?? '',
        contextKind,
        contextKey,
      })),
    )
    .slice(0, MOST_TARGETS);
}

interface ExpiryProps {
  place: FlagPlace;
  flag: FlagDetail;
  environment: Environment;
  onClose: () => void;
}

function ExpiryDialog({
  place,
  flag,
  environment,
  targets,
  present,
  onClose,
}: ExpiryProps & { targets: readonly FlagTarget[]; present?: ExpiringTarget }) {
  const [index, setIndex] = useState('');
  const [local, setLocal] = useState(() => localTime(present?.expirationDate ?? currentTime() + 7 * DAY_MS));
  const [opened] = useState(currentTime);
  const chosen = present ?? (index === '' ? undefined : targets[Number(index)]);
  const value = new Date(local).getTime();
  const isTimeBad = Number.isNaN(value) || value <= opened;
  const callWith = (comment: string) =>
    expiringPatch(
      place,
      {
        kind: present === undefined ? 'addExpiringTarget' : 'updateExpiringTarget',
        variationId: chosen?.variationId ?? '',
        contextKind: chosen?.contextKind ?? 'user',
        contextKey: chosen?.contextKey ?? '',
        value,
        ...(present !== undefined && { version: present._version }),
      },
      comment,
    );
  useSayDraft(chosen === undefined || isTimeBad ? undefined : callWith(''));
  const save = useChange<Call>((call) => call, CHANGED);
  return (
    <GuardedDialog
      environment={environment}
      title={present === undefined ? WORDS.addTitle(environment.name) : WORDS.changeTitle(present.contextKey)}
      confirmLabel={present === undefined ? WORDS.add : WORDS.save}
      hasComment
      disabledReason={chosen === undefined ? WORDS.targetMissing : isTimeBad ? WORDS.atBad : undefined}
      isBusy={save.isPending}
      error={save.error}
      onClose={onClose}
      onConfirm={(comment) => save.mutate(callWith(comment), { onSuccess: onClose })}
    >
      {present === undefined && (
        <Field label={WORDS.target}>
          <SelectInput
            value={index}
            onValue={setIndex}
            options={[
              { value: '', label: WORDS.choose },
              ...targets.map(({ contextKey, contextKind, variationId }, at) => ({
                value: String(at),
                label: `${contextKey} (${contextKind}) → ${variationName(flag, variationId)}`,
              })),
            ]}
          />
        </Field>
      )}
      <Field label={WORDS.at} help={WORDS.atHelp(ownZone())} error={isTimeBad && WORDS.atBad}>
        <TextInput type="datetime-local" value={local} onValue={setLocal} />
      </Field>
    </GuardedDialog>
  );
}

/** As a field of the browser for times has it. */
function localTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 16);
}

function KeepDialog({ place, environment, target, onClose }: ExpiryProps & { target: ExpiringTarget }) {
  const { variationId, contextKind, contextKey } = target;
  const callWith = (comment: string) =>
    expiringPatch(place, { kind: 'removeExpiringTarget', variationId, contextKind, contextKey }, comment);
  useSayDraft(callWith(''));
  const save = useChange<Call>((call) => call, CHANGED);
  return (
    <GuardedDialog
      environment={environment}
      title={WORDS.removeTitle(contextKey)}
      text={WORDS.removeText}
      confirmLabel={WORDS.remove}
      hasComment
      isBusy={save.isPending}
      error={save.error}
      onClose={onClose}
      onConfirm={(comment) => save.mutate(callWith(comment), { onSuccess: onClose })}
    />
  );
}
