// The filters of the audit log: words, products, a time span, and rarer ones behind a button. All of them stand in the address.
import type { Activity } from '../../api/types/signalbox.ts';
import { useState, type FormEvent } from 'react';
import { ACTIVITY_WORDS, PRODUCTS } from '../../lib/activity.tsx';
import { useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FilterInput, SelectInput, TextInput } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import {
  FILTER_NAMES,
  isResource,
  spanOf,
  SPANS,
  timeOf,
  usePeople,
  useTokenChoices,
  type NamedChoice,
} from './audit-queries.ts';
import { AUDIT } from './audit-words.ts';

const FEW = ['member', 'token', 'action', 'resource'] as const;

export function AuditFilters({ state, rows }: { state: SearchState; rows: readonly Activity[] }) {
  const product = state.get('product');
  return (
    <div className="stack audit__filters">
      <div className="row row--wrap">
        <div className="grow audit__words">
          <WordsFilter state={state} />
        </div>
        <SpanFilter state={state} />
        <MoreFilters state={state} rows={rows} />
      </div>
      <div className="row row--wrap">
        <Chips
          label={AUDIT.products}
          items={[
            {
              label: AUDIT.any,
              isOn: product === undefined,
              onToggle: () => state.set({ product: undefined }),
            },
            ...PRODUCTS.map((one) => ({
              label: ACTIVITY_WORDS.products[one],
              isOn: product === one,
              onToggle: () => state.set({ product: product === one ? undefined : one, rows: undefined }),
            })),
          ]}
        />
        <ActiveFilters state={state} rows={rows} />
      </div>
    </div>
  );
}

function WordsFilter({ state }: { state: SearchState }) {
  const [typed, setTyped] = useTypedFilter(state);
  return <FilterInput label={AUDIT.filter} value={typed} onChange={setTyped} />;
}

function SpanFilter({ state }: { state: SearchState }) {
  const span = spanOf(state);
  const hasTimes = timeOf(state.get('after')) !== undefined || timeOf(state.get('before')) !== undefined;
  const [isCustom, setCustom] = useState(false);
  const chosen = span ?? (hasTimes || isCustom ? 'custom' : 'any');
  const choose = (value: string) => {
    setCustom(value === 'custom');
    const next = Object.hasOwn(SPANS, value) ? value : undefined;
    state.set({ span: next, after: undefined, before: undefined, rows: undefined });
  };
  return (
    <>
      <SelectInput
        className="audit__span"
        aria-label={AUDIT.span}
        value={chosen}
        onValue={choose}
        options={Object.entries(AUDIT.spans).map(([value, label]) => ({ value, label }))}
      />
      {chosen === 'custom' && (
        <div className="row row--wrap audit__times">
          <TimeInput label={AUDIT.from} name="after" state={state} />
          <TimeInput label={AUDIT.until} name="before" state={state} />
        </div>
      )}
    </>
  );
}

function TimeInput({ label, name, state }: { label: string; name: 'after' | 'before'; state: SearchState }) {
  const at = timeOf(state.get(name));
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      title={label}
      value={at === undefined ? '' : localText(at)}
      onValue={(text) => {
        const time = new Date(text).getTime();
        state.set({
          [name]: Number.isNaN(time) ? undefined : String(time),
          span: undefined,
          rows: undefined,
        });
      }}
    />
  );
}

/** As the field takes it: in the zone of the browser, without a zone. */
function localText(at: number): string {
  const date = new Date(at);
  const local = new Date(at - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}

function MoreFilters({ state, rows }: { state: SearchState; rows: readonly Activity[] }) {
  return (
    <Popover
      label={AUDIT.moreFilters}
      alignment="end"
      trigger={
        <Button icon="sliders" hasCaret>
          {AUDIT.moreFilters}
        </Button>
      }
    >
      {(close) => <MoreFiltersForm state={state} rows={rows} close={close} />}
    </Popover>
  );
}

interface MoreFiltersFormProps {
  state: SearchState;
  rows: readonly Activity[];
  close: () => void;
}

function MoreFiltersForm({ state, rows, close }: MoreFiltersFormProps) {
  const [values, setValues] = useState(() =>
    Object.fromEntries(FEW.map((name) => [name, state.get(name) ?? ''])),
  );
  const change = (name: string) => (value: string) => setValues((present) => ({ ...present, [name]: value }));
  const people = usePeople(true);
  const tokens = useTokenChoices(true);
  const isWrong = values['resource'] !== '' && !isResource(values['resource'] ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong) return;
    close();
    state.set({ ...values, rows: undefined });
  };
  return (
    <form className="stack audit__form" onSubmit={submit}>
      <Field label={AUDIT.filters.member}>
        <Choice
          none={AUDIT.anybody}
          choices={withNamed(people, values['member'], memberNameIn(rows))}
          value={values['member'] ?? ''}
          onValue={change('member')}
        />
      </Field>
      <Field label={AUDIT.filters.token}>
        <Choice
          none={AUDIT.anyToken}
          choices={withNamed(tokens, values['token'], tokenNameIn(rows))}
          value={values['token'] ?? ''}
          onValue={change('token')}
        />
      </Field>
      <Field label={AUDIT.filters.action} help={AUDIT.actionHelp}>
        <TextInput
          isMono
          list="audit-actions"
          maxLength={200}
          value={values['action']}
          onValue={change('action')}
        />
      </Field>
      <datalist id="audit-actions">
        {[...new Set(rows.map(({ action }) => action))].slice(0, 100).map((action) => (
          <option key={action} value={action}>
            {action}
          </option>
        ))}
      </datalist>
      <Field
        label={AUDIT.filters.resource}
        help={AUDIT.resourceHelp}
        error={isWrong ? AUDIT.badResource : undefined}
      >
        <TextInput isMono maxLength={1000} value={values['resource']} onValue={change('resource')} />
      </Field>
      <Button type="submit" tone="primary">
        {AUDIT.apply}
      </Button>
    </form>
  );
}

interface ChoiceProps {
  none: string;
  choices: NamedChoice[];
  value: string;
  onValue: (value: string) => void;
}

function Choice({ none, choices, value, onValue }: ChoiceProps) {
  return <SelectInput value={value} onValue={onValue} options={[{ value: '', label: none }, ...choices]} />;
}

/** What is chosen stands in the list, also where the list does not have it. */
function withNamed(
  choices: NamedChoice[] | undefined,
  value: string | undefined,
  nameOf: (id: string) => string | undefined,
): NamedChoice[] {
  const listed = choices ?? [];
  if (value === undefined || value === '' || listed.some((one) => one.value === value)) return listed;
  return [{ value, label: nameOf(value) ?? value }, ...listed];
}

const memberNameIn = (rows: readonly Activity[]) => (id: string) => {
  const member = rows.find((row) => row.member?.id === id)?.member;
  return member === undefined ? undefined : (member.name ?? member.email);
};

const tokenNameIn = (rows: readonly Activity[]) => (id: string) =>
  rows.find((row) => row.token?.id === id)?.token?.name;

function ActiveFilters({ state, rows }: { state: SearchState; rows: readonly Activity[] }) {
  const names = { member: memberNameIn(rows), token: tokenNameIn(rows), action: same, resource: same };
  const active = FEW.flatMap((name) => {
    const value = state.get(name);
    return value === undefined ? [] : [{ name, text: `${name}:${names[name](value) ?? value}` }];
  });
  const isFiltered = FILTER_NAMES.some((name) => state.get(name) !== undefined);
  return (
    <>
      {active.map(({ name, text }) => (
        <span className="token audit__token" key={name}>
          <span className="cut" title={text}>
            {text}
          </span>
          <button
            type="button"
            aria-label={AUDIT.removeFilter(text)}
            onClick={() => state.set({ [name]: undefined, rows: undefined })}
          >
            <Icon name="x" size={12} />
          </button>
        </span>
      ))}
      {isFiltered && (
        <Button tone="ghost" size="sm" onClick={() => state.set(noFilter)}>
          {AUDIT.clear}
        </Button>
      )}
    </>
  );
}

const same = (value: string): string | undefined => value;

const noFilter = Object.fromEntries([...FILTER_NAMES, 'rows'].map((name) => [name, undefined]));
