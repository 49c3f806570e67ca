// The form of a new token. It is no dialog, so that the calls of the page can be opened beside it.
import { useState, type FormEvent } from 'react';
import { invalidateTopics } from '../../api/read.ts';
import { useSecretCall } from '../../api/secret-call.ts';
import type { TokenTask } from '../../api/types/signalbox.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { useMay, useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { NoPermission, Skeleton } from '../../ui/states.tsx';
import { Key } from '../../ui/status.tsx';
import { currentTime, useMinute } from '../../lib/clock.ts';
import {
  callOf,
  checkDraft,
  NEW_TOKEN,
  placeError,
  scopeKindOf,
  statementsOf,
  type DraftErrors,
  type DraftField,
  type TokenDraft,
} from './token-draft.ts';
import { rolesUpTo, type TokenDetail } from './token-model.ts';
import { TokenPowerView } from './token-policy-view.tsx';
import { ScopeFields } from './token-scope-fields.tsx';
import type { NewSecret } from './token-secret-dialog.tsx';
import { CHANGED_TOKENS, useTokenTasks } from './tokens-queries.ts';
import { FORM, TOKENS } from './tokens-words.ts';

const LIST = '/account/tokens';
/** Where everybody's own tokens are. */
const OWN = { action: 'createAccessToken', resource: 'member/me:token/*' };
const SERVICE = { action: 'createAccessToken', resource: 'service-token/*' };

export function NewTokenPage({ onSecret }: { onSecret: (secret: NewSecret) => void }) {
  usePageInfo([{ label: TOKENS.account }, { label: TOKENS.title, href: LIST }, { label: FORM.title }]);
  const { data: me } = useMe();
  const may = useMay([OWN, SERVICE]);
  const [mayOwn, mayService] = may ?? [];
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={FORM.title} meta={FORM.text} />
      {me === undefined || may === undefined ? (
        <Skeleton rows={6} />
      ) : mayOwn || mayService ? (
        <TokenForm
          ownRole={me.member.role}
          mayOwn={mayOwn === true}
          mayService={mayService === true}
          onSecret={onSecret}
        />
      ) : (
        <NoPermission {...OWN} />
      )}
    </main>
  );
}

/** A token for a task is called like the task, until somebody gives it a name. */
function nameFor(
  { name, taskId }: TokenDraft,
  tasks: readonly TokenTask[],
  chosen: string | undefined,
): string | undefined {
  const titleOf = (id: string) => tasks.find((task) => task.id === id)?.title;
  const isOwn = name.trim() !== '' && name !== titleOf(taskId);
  return chosen === undefined || isOwn ? undefined : titleOf(chosen);
}

interface TokenFormProps {
  ownRole: string;
  mayOwn: boolean;
  mayService: boolean;
  onSecret: (secret: NewSecret) => void;
}

function TokenForm({ ownRole, mayOwn, mayService, onSecret }: TokenFormProps) {
  const { value, change, forget } = useDraft<TokenDraft>('token:new', NEW_TOKEN);
  const { data: tasks } = useTokenTasks();
  const [opened] = useState(Date.now);
  const [touched, setTouched] = useState<ReadonlySet<DraftField | 'all'>>(new Set());
  const { run, isBusy, error, forget: forgetError } = useSecretCall<TokenDetail>();
  const draft = { ...value, isService: mayService && (value.isService || !mayOwn) };
  const around = {
    task: tasks?.items.find(({ id }) => id === draft.taskId),
    roles: rolesUpTo(ownRole),
    ownRole,
    now: opened,
  };
  const kind = scopeKindOf(draft, ownRole);
  const placed = placeError(error, kind);
  const errors = { ...seen(checkDraft(draft, around), touched), ...placed.at };
  const onChange = (patch: Partial<TokenDraft>) => {
    const name = nameFor(draft, tasks?.items ?? [], patch.taskId);
    change(name === undefined ? patch : { ...patch, name });
    if (error !== undefined) forgetError();
  };
  const touch = (field: DraftField | 'all') => setTouched((present) => new Set([...present, field]));
  useSayDraft(callOf(draft, around));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    touch('all');
    const now = currentTime();
    if (Object.keys(checkDraft(draft, { ...around, now })).length > 0) return focusFirstError(form);
    const reply = await run(callOf(draft, { ...around, now }));
    if (reply === undefined) return focusFirstError(form);
    forget();
    invalidateTopics(CHANGED_TOKENS);
    onSecret({ detail: reply.body, isRotated: false });
  };
  const summary = <Summary draft={draft} statements={statementsOf(draft, around)} kind={kind} />;
  return (
    <div className="cols">
      <form className="card" noValidate onSubmit={(event) => void submit(event)}>
        <div className="card__b stack stack--24">
          {error !== undefined && !placed.isPlaced && (
            <Banner tone="bad">
              {error.message} {error.requestId !== undefined && <Key>{error.requestId}</Key>}
            </Banner>
          )}
          <Field label={FORM.name} help={FORM.nameHelp} error={errors.name}>
            <TextInput
              autoComplete="off"
              value={draft.name}
              onValue={(name) => onChange({ name })}
              onBlur={() => draft.name !== '' && touch('name')}
            />
          </Field>
          <RadioCards
            label={FORM.kind}
            value={draft.isService ? 'service' : 'personal'}
            onChange={(one) => onChange({ isService: one === 'service' })}
            options={[
              {
                value: 'personal',
                label: FORM.personal,
                text: FORM.personalText,
                disabledReason: mayOwn ? undefined : TOKENS.notAllowed,
              },
              {
                value: 'service',
                label: FORM.service,
                text: FORM.serviceText,
                disabledReason: mayService ? undefined : FORM.noService,
              },
            ]}
          />
          <ScopeFields draft={draft} errors={errors} onChange={onChange} ownRole={ownRole} />
          {/* Where there is no room beside the form. */}
          <div className="stack stack--8 tok__sum-in">
            <h2 className="fld__l">{FORM.summary}</h2>
            {summary}
          </div>
          <ExpiryFields draft={draft} error={errors.date} onChange={onChange} onLeave={() => touch('date')} />
        </div>
        <div className="card__f tok__f">
          <span className="grow t12">{FORM.kept}</span>
          <ButtonLink href={LIST}>{FORM.cancel}</ButtonLink>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {FORM.submit}
          </Button>
        </div>
      </form>
      <Card title={FORM.summary} className="tok__sum">
        {summary}
      </Card>
    </div>
  );
}

/** Faults of fields that were left, or all once one has tried to create it. */
function seen(errors: DraftErrors, touched: ReadonlySet<DraftField | 'all'>): DraftErrors {
  if (touched.has('all')) return errors;
  return Object.fromEntries(Object.entries(errors).filter(([field]) => touched.has(field as DraftField)));
}

function focusFirstError(form: HTMLFormElement): void {
  // After the errors are drawn.
  requestAnimationFrame(() => {
    const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (field !== null) field.focus();
    else form.querySelector('.err, .note')?.scrollIntoView({ block: 'center' });
  });
}

interface ExpiryFieldsProps {
  draft: TokenDraft;
  error: string | undefined;
  onChange: (patch: Partial<TokenDraft>) => void;
  onLeave: () => void;
}

function ExpiryFields({ draft, error, onChange, onLeave }: ExpiryFieldsProps) {
  const today = new Date(useMinute()).toLocaleDateString('sv');
  return (
    <div className="stack">
      <div className="tok__pars">
        <Field label={FORM.expiry} error={draft.expiry === 'date' ? undefined : error}>
          <SelectInput
            value={draft.expiry}
            onValue={(expiry) => onChange({ expiry })}
            options={[...FORM.expiries]}
          />
        </Field>
        {draft.expiry === 'date' && (
          <Field label={FORM.date} error={error}>
            <TextInput
              type="date"
              min={today}
              value={draft.date}
              onValue={(date) => onChange({ date })}
              onBlur={onLeave}
            />
          </Field>
        )}
      </div>
      {draft.expiry === 'never' && <Banner tone="warn">{FORM.neverWarning}</Banner>}
    </div>
  );
}

interface SummaryProps {
  draft: TokenDraft;
  kind: ReturnType<typeof scopeKindOf>;
  statements: ReturnType<typeof statementsOf>;
}

function Summary({ draft, kind, statements }: SummaryProps) {
  const isEmpty =
    kind === 'custom' ? draft.customRoles.length === 0 : kind !== 'role' && statements.length === 0;
  if (isEmpty) return <p className="t13 muted">{FORM.nothingYet}</p>;
  return (
    <TokenPowerView
      isService={draft.isService}
      role={kind === 'role' ? draft.role : undefined}
      customRoles={kind === 'custom' ? draft.customRoles : []}
      statements={statements}
    />
  );
}
