// The keys of an environment: shown on demand, copied, and reset so that the old one works on for as long as one chooses.
import { useState } from 'react';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMay } from '../../app/me.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { currentTime } from '../../lib/clock.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { TypedKey } from '../../ui/typed-key.tsx';
import { words } from '../../ui/words.ts';
import {
  CHANGED,
  environmentPath,
  environmentResource,
  useSdkActive,
  type EnvironmentDetail,
  type ProjectDetail,
} from './environments-queries.ts';
import { ENV_WORDS, FORM_WORDS, RESET_WORDS } from './environments-words.ts';

const KINDS = ['apiKey', 'mobileKey', 'clientSideId'] as const;
type KeyKind = (typeof KINDS)[number];

const ACTIONS: Readonly<Record<KeyKind, string>> = {
  apiKey: 'updateApiKey',
  mobileKey: 'updateMobileKey',
  clientSideId: 'updateClientSideId',
};

const HOUR_MS = 3_600_000;
/** Most people cannot replace a key everywhere at once. */
const DEFAULT_HOURS = '24';

function valueOf(environment: EnvironmentDetail, kind: KeyKind): string {
  return kind === 'clientSideId' ? environment._id : environment[kind];
}

interface EnvironmentKeysProps {
  project: ProjectDetail;
  environment: EnvironmentDetail;
}

interface DoneReset {
  kind: KeyKind;
  /** Undefined where the old one stopped at once. */
  until?: number | undefined;
}

export function EnvironmentKeys({ project, environment }: EnvironmentKeysProps) {
  const [resetting, setResetting] = useState<KeyKind>();
  const [done, setDone] = useState<DoneReset>();
  const resource = environmentResource(project, environment);
  const may = useMay(KINDS.map((kind) => ({ action: ACTIONS[kind], resource })));
  return (
    <>
      {KINDS.map((kind, index) => (
        <KeyRow
          key={kind}
          kind={kind}
          value={valueOf(environment, kind)}
          done={done?.kind === kind ? done : undefined}
          onReset={may?.[index] === true ? () => setResetting(kind) : undefined}
        />
      ))}
      {resetting !== undefined && (
        <ResetDialog
          kind={resetting}
          project={project.key}
          environment={environment}
          onClose={() => setResetting(undefined)}
          onDone={(until) => {
            setDone({ kind: resetting, until });
            setResetting(undefined);
          }}
        />
      )}
    </>
  );
}

interface KeyRowProps {
  kind: KeyKind;
  value: string;
  done: DoneReset | undefined;
  /** Absent where the person may not. */
  onReset: (() => void) | undefined;
}

function KeyRow({ kind, value, done, onReset }: KeyRowProps) {
  const [isShown, setShown] = useState(kind === 'clientSideId');
  const what = ENV_WORDS.kinds[kind];
  const isMasked = value.startsWith('*');
  return (
    <div className="env-key">
      <div className="row row--wrap row--4">
        <span className="grow w5 t13">{what}</span>
        {kind !== 'clientSideId' && !isMasked && (
          <Button
            size="sm"
            tone="ghost"
            icon="eye"
            aria-label={isShown ? ENV_WORDS.hide(what) : ENV_WORDS.show(what)}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? ENV_WORDS.hideShort : ENV_WORDS.showShort}
          </Button>
        )}
        {onReset !== undefined && (
          <Button size="sm" tone="ghost" icon="redo" aria-label={ENV_WORDS.resetOf(what)} onClick={onReset}>
            {ENV_WORDS.reset}
          </Button>
        )}
      </div>
      <div className="row row--4">
        <code className="key">{isShown || isMasked ? value : `${value.slice(0, 4)}${'•'.repeat(12)}`}</code>
        {!isMasked && <CopyButton text={value} label={ENV_WORDS.copy(what)} />}
      </div>
      <p className="help">{isMasked ? ENV_WORDS.masked : ENV_WORDS.kindsHelp[kind]}</p>
      {done !== undefined && (
        <p role="status" className="t13">
          <Status tone="ok">{RESET_WORDS.done(what)}</Status>
          {done.until !== undefined && (
            <>
              {' '}
              {RESET_WORDS.until} <Time at={done.until} />.
            </>
          )}
        </p>
      )}
    </div>
  );
}

interface ResetDialogProps {
  kind: KeyKind;
  project: string;
  environment: EnvironmentDetail;
  onClose: () => void;
  onDone: (until: number | undefined) => void;
}

function ResetDialog({ kind, project, environment, onClose, onDone }: ResetDialogProps) {
  const { key, name, critical, confirmChanges } = environment;
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const [typed, setTyped] = useState('');
  const [opened] = useState(currentTime);
  const { data: activity } = useSdkActive(project, key);
  const what = ENV_WORDS.kinds[kind];
  const callAt = (now: number): Call => ({
    api: 'flags',
    method: 'POST',
    path: `${environmentPath(project, key)}/${kind}`,
    query: { expiry: hours === '0' ? undefined : now + Number(hours) * HOUR_MS },
  });
  useSayDraft(callAt(opened));
  const reset = useChange<Call>((call) => call, CHANGED);
  const isGuarded = critical || confirmChanges;
  const submit = () => {
    const now = currentTime();
    const until = hours === '0' ? undefined : now + Number(hours) * HOUR_MS;
    reset.mutate(callAt(now), { onSuccess: () => onDone(until) });
  };
  return (
    <Dialog
      title={RESET_WORDS.title(what, name)}
      text={RESET_WORDS.text}
      tone={isGuarded ? 'production' : 'normal'}
      width={520}
      onClose={onClose}
      footer={
        <>
          <Button data-autofocus="" onClick={onClose}>
            {FORM_WORDS.cancel}
          </Button>
          <Button
            tone={isGuarded ? 'production' : 'danger-fill'}
            icon="redo"
            isBusy={reset.isPending}
            disabledReason={isGuarded && typed.trim() !== key ? words.typeFirst(key) : undefined}
            onClick={submit}
          >
            {RESET_WORDS.confirm(what)}
          </Button>
        </>
      }
    >
      <ChangeError error={reset.error} />
      <Banner tone="warn">
        {RESET_WORDS.breaks[kind]} {hours === '0' && RESET_WORDS.nowBad}
      </Banner>
      {activity !== undefined && (
        <p className="t13">
          <Status tone={activity.active ? 'warn' : 'neutral'}>
            {activity.active ? RESET_WORDS.active : RESET_WORDS.inactive}
          </Status>
        </p>
      )}
      <Field label={RESET_WORDS.overlap} help={RESET_WORDS.help}>
        <SelectInput value={hours} onValue={setHours} options={[...RESET_WORDS.overlaps]} />
      </Field>
      {isGuarded && <TypedKey wanted={key} value={typed} onChange={setTyped} />}
    </Dialog>
  );
}
