// One call in two versions. The address holds the call, its parameters and both versions, so that it can be shared.
import '../../styles/versions.css';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Changelog, Comparison } from './version-comparison.tsx';
import {
  callFor,
  useReplyIn,
  useVersionedCalls,
  useVersionNames,
  type VersionedCall,
} from './versions-queries.ts';
import { VERSIONS } from './versions-words.ts';

export default function VersionsPage() {
  usePageInfo([{ label: VERSIONS.code }, { label: VERSIONS.title }]);
  const state = useSearchState('/versions');
  const calls = useVersionedCalls();
  const versions = useVersionNames();
  const operation = state.get('call');
  const call = calls.data?.items.find((one) => one.operation === operation);
  const error = calls.error ?? versions.error;
  const names: [string, string] = [
    state.get('a') ?? versions.data?.[0] ?? '',
    state.get('b') ?? versions.data?.at(-1) ?? '',
  ];
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={VERSIONS.title}
        meta={VERSIONS.text}
        actions={<ButtonLink href="/versions/upgrade">{VERSIONS.report}</ButtonLink>}
      />
      {error !== null ? (
        <ReadProblem
          error={error}
          onRetry={() => {
            void calls.refetch();
            void versions.refetch();
          }}
        />
      ) : calls.data === undefined || versions.data === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <div className="stack stack--16">
          <Card label={VERSIONS.call}>
            <div className="versions__form">
              <CallField calls={calls.data.items} state={state} />
              {call?.parameters.map((name) => (
                <ParameterField key={`${call.operation} ${name}`} name={name} state={state} />
              ))}
              {call !== undefined && <QueryField state={state} />}
              <VersionField
                label={VERSIONS.from}
                name="a"
                value={names[0]}
                all={versions.data}
                state={state}
              />
              <VersionField label={VERSIONS.to} name="b" value={names[1]} all={versions.data} state={state} />
            </div>
            <p className="help versions__note">{VERSIONS.onlyReads}</p>
          </Card>
          {call !== undefined ? (
            <Replies key={call.operation} call={call} names={names} state={state} />
          ) : (
            operation !== undefined && <EmptyState icon="code" title={VERSIONS.unknown(operation)} />
          )}
        </div>
      )}
    </main>
  );
}

function CallField({ calls, state }: { calls: readonly VersionedCall[]; state: SearchState }) {
  const operation = state.get('call') ?? '';
  const groups = [
    { label: VERSIONS.changed, items: calls.filter(({ changes }) => changes.length > 0) },
    { label: VERSIONS.same, items: calls.filter(({ changes }) => changes.length === 0) },
  ];
  return (
    <div className="versions__call">
      <Field label={VERSIONS.call}>
        <SelectInput value={operation} onValue={(call) => state.set({ call }, { isStep: true })}>
          {!calls.some((one) => one.operation === operation) && (
            <option value={operation}>{operation === '' ? VERSIONS.choose : operation}</option>
          )}
          {groups.map(({ label, items }) => (
            <optgroup key={label} label={label}>
              {items.map(({ operation: id, path, summary }) => (
                <option key={id} value={id}>
                  {path} ({summary})
                </option>
              ))}
            </optgroup>
          ))}
        </SelectInput>
      </Field>
    </div>
  );
}

/** Beside the other words of the address. */
const parameterKey = (name: string) => `in.${name}`;

function ParameterField({ name, state }: { name: string; state: SearchState }) {
  const [typed, setTyped] = useTypedFilter(state, parameterKey(name));
  return (
    <Field label={<code>{`{${name}}`}</code>}>
      <TextInput isMono autoComplete="off" spellCheck={false} value={typed} onValue={setTyped} />
    </Field>
  );
}

function QueryField({ state }: { state: SearchState }) {
  const [typed, setTyped] = useTypedFilter(state, 'query');
  return (
    <Field label={VERSIONS.query} optional>
      <TextInput
        isMono
        autoComplete="off"
        spellCheck={false}
        placeholder={VERSIONS.queryHelp}
        value={typed}
        onValue={setTyped}
      />
    </Field>
  );
}

interface VersionFieldProps {
  label: string;
  name: 'a' | 'b';
  value: string;
  all: readonly string[];
  state: SearchState;
}

function VersionField({ label, name, value, all, state }: VersionFieldProps) {
  const names = all.includes(value) ? all : [value, ...all];
  return (
    <Field label={label}>
      <SelectInput
        value={value}
        onValue={(version) => state.set({ [name]: version })}
        options={names.map((one) => ({ value: one, label: one }))}
      />
    </Field>
  );
}

interface RepliesProps {
  call: VersionedCall;
  names: [string, string];
  state: SearchState;
}

function Replies({ call, names, state }: RepliesProps) {
  const asked = callFor(call, (name) => state.get(parameterKey(name)), state.get('query') ?? '');
  const one = useReplyIn(names[0], asked);
  const other = useReplyIn(names[1], asked);
  const error = one.error ?? other.error;
  const again = () => {
    void one.refetch();
    void other.refetch();
  };
  return (
    <>
      <Changelog call={call} names={names} />
      {asked === undefined ? (
        <p className="t13 muted">{VERSIONS.fill}</p>
      ) : error !== null ? (
        <ReadProblem error={error} onRetry={again} />
      ) : one.data === undefined || other.data === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <>
          <Comparison names={names} replies={[one.data, other.data]} />
          <div>
            <Button icon="redo" isBusy={one.isFetching || other.isFetching} onClick={again}>
              {VERSIONS.again}
            </Button>
          </div>
        </>
      )}
    </>
  );
}
