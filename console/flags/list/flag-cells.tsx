// The cells of a row that learn more after the row is shown, and the switch of a flag in an environment.
import type { FlagState } from '../../api/types/signalbox.ts';
import { createContext, memo, useContext } from 'react';
import { Link } from 'wouter';
import { useMinute } from '../../lib/clock.ts';
import { Switch } from '../../ui/choice.tsx';
import { Sparkline } from '../../ui/chart.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatAbsolute, formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/status.tsx';
import { TimeZoneContext } from '../../ui/time.tsx';
import { useTip } from '../../ui/tip.tsx';
import type { Flag } from '../flag.ts';
import type { Environment } from '../queries.ts';
import { WORDS as FLAG_WORDS } from '../words.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';
import { EVERYWHERE, useRowFact, type Lifecycle } from './row-facts.ts';

export type Toggle = (flag: Flag, environment: Environment, isOn: boolean, isReviewed: boolean) => void;

export const ToggleContext = createContext<Toggle>(() => undefined);

export function EnvironmentCell({ flag, environment }: { flag: Flag; environment: Environment }) {
  const toggle = useContext(ToggleContext);
  const fact = useRowFact(environment.key, flag.key);
  const config = flag.environments?.[environment.key];
  if (config === undefined) return <span className="muted">{FLAG_WORDS.absent}</span>;
  const reason = flag.archived
    ? WORDS.isArchived
    : fact?.mayToggle === false
      ? WORDS.mayNot('updateOn', environment.key)
      : undefined;
  const button = (
    <Switch
      isOn={config.on}
      label={WORDS.inEnvironment(flag.name, environment.key)}
      reason={reason}
      onChange={(isOn) => toggle(flag, environment, isOn, false)}
      onReview={(isOn) => toggle(flag, environment, isOn, true)}
    />
  );
  const state = fact?.state;
  if (state === undefined || (state.nextChange === undefined && state.waitingApprovals === 0)) return button;
  return (
    <span className="row row--4">
      {button}
      <Marks state={state} />
    </span>
  );
}

/** What is about to happen to the flag there. */
function Marks({ state: { nextChange, waitingApprovals } }: { state: FlagState }) {
  const zone = useContext(TimeZoneContext);
  const now = useMinute();
  const scheduled = nextChange && WORDS.next(formatAbsolute(nextChange.at, now, zone));
  return (
    <>
      {scheduled !== undefined && (
        <span className="badge badge--prod" title={scheduled}>
          <Icon name="clock" />
          <span className="vh">{scheduled}</span>
        </span>
      )}
      {waitingApprovals > 0 && (
        <Link
          href="/approvals"
          className="badge badge--warn fl-mark"
          title={WORDS.approvals(waitingApprovals)}
          aria-label={WORDS.approvals(waitingApprovals)}
        >
          <Icon name="users" />
          {waitingApprovals > 1 && waitingApprovals}
        </Link>
      )}
    </>
  );
}

export const WeekCell = memo(({ environment, flag }: { environment: string; flag: string }) => {
  const week = useRowFact(environment, flag)?.state?.week;
  if (week === undefined) return null;
  const sum = week.reduce((total, count) => total + count, 0);
  if (sum === 0) return <span className="muted">0</span>;
  return <Sparkline values={week} label={WORDS.weekLabel(formatCount(sum))} />;
});

const TONES: Partial<Record<Lifecycle, 'ok' | 'acc' | 'warn'>> = {
  new: 'acc',
  launched: 'ok',
  'ready-to-remove': 'warn',
};

export interface LifecycleCellProps {
  environment: string;
  flag: Flag;
  /** The page of the flag. */
  href: string;
}

/** With its reason, and where it asks for something, with the way to do it. */
export function LifecycleCell({ environment, flag, href }: LifecycleCellProps) {
  const state = useRowFact(environment, flag.key)?.state;
  if (flag.archived) return <Badge>{FLAG_WORDS.archived}</Badge>;
  return state === undefined ? null : <LifecycleBadge state={state} href={href} />;
}

function LifecycleBadge({ state: { lifecycle, reason }, href }: { state: FlagState; href: string }) {
  const tip = useTip(reason, { isLazy: true });
  const tone = TONES[lifecycle];
  const className = classNames('badge', 'fl-life', tone !== undefined && `badge--${tone}`);
  const words = WORDS.lifecycle[lifecycle];
  return (
    <>
      {lifecycle === 'ready-to-remove' ? (
        <Link href={`${href}/settings`} className={className} {...tip.anchorProps}>
          <Icon name="warn" />
          {words}
          <span className="vh">. {reason}</span>
        </Link>
      ) : (
        <button
          type="button"
          className={className}
          {...tip.anchorProps}
          onClick={(event) => tip.showAt(event.currentTarget)}
        >
          {words}
        </button>
      )}
      {tip.element}
    </>
  );
}

/** Somebody else has changed the row since it was read. */
export function ChangedDot({ flag }: { flag: string }) {
  const isChanged = useRowFact(EVERYWHERE, flag)?.isChanged === true;
  if (!isChanged) return null;
  return (
    <span className="fl-dot" title={WORDS.changedElsewhere}>
      <span className="vh">{WORDS.changedElsewhere}</span>
    </span>
  );
}
