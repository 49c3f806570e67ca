// Whom a question is about: oneself, a member, a token, or a role. The address holds it.
import { useState } from 'react';
import { useRead } from '../../api/read.ts';
import { useSettled } from '../../lib/settled.ts';
import type { SearchState } from '../../lib/search-state.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput, TextInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { AccountMember } from '../../api/types/signalbox.ts';
import { nameOf } from '../members/members-queries.ts';
import { ROLE_NAMES } from '../members/members-words.ts';
import type { PolicySubject } from './explain-queries.ts';
import { TESTER } from './tester-words.ts';

const KINDS = ['me', 'member', 'token', 'role'] as const;
type Kind = (typeof KINDS)[number];

/** `member=me` is oneself; a base role has an at sign before it, which no key has. */
export function subjectIn(state: SearchState): PolicySubject | undefined {
  const [member, token, role] = [state.get('member'), state.get('token'), state.get('role')];
  if (token !== undefined) return token === '-' ? undefined : { token };
  if (role !== undefined) {
    if (role === '-') return undefined;
    return role.startsWith('@') ? { baseRole: role.slice(1) } : { role };
  }
  return member === '-' ? undefined : { member: member ?? 'me' };
}

function kindIn(state: SearchState): Kind {
  if (state.get('token') !== undefined) return 'token';
  if (state.get('role') !== undefined) return 'role';
  return (state.get('member') ?? 'me') === 'me' ? 'me' : 'member';
}

export function SubjectFields({ state }: { state: SearchState }) {
  const kind = kindIn(state);
  const choose = (next: Kind) =>
    state.set({
      member: next === 'me' ? 'me' : next === 'member' ? '-' : undefined,
      token: next === 'token' ? '-' : undefined,
      role: next === 'role' ? '-' : undefined,
    });
  return (
    <>
      <div>
        <Segmented
          label={TESTER.who}
          value={kind}
          onChange={choose}
          options={KINDS.map((value) => ({ value, label: TESTER.kinds[value] }))}
        />
      </div>
      {kind === 'member' && <MemberField state={state} />}
      {kind === 'token' && <TokenField state={state} />}
      {kind === 'role' && <RoleField state={state} />}
    </>
  );
}

const MOST = 100;

function MemberField({ state }: { state: SearchState }) {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim(), 200);
  const { data, error, refetch } = useRead<{ items: AccountMember[] }>(
    { call: { api: 'signalbox', path: '/members', query: { q, limit: 50 } }, topics: ['member'] },
    { keepsPrevious: true },
  );
  if (error !== null && data === undefined)
    return <ReadProblem error={error} onRetry={() => void refetch()} isPlain />;
  const chosen = state.get('member') ?? '-';
  const items = data?.items ?? [];
  return (
    <>
      <Field label={TESTER.findMember}>
        <TextInput autoComplete="off" value={typed} onValue={setTyped} />
      </Field>
      <Field
        label={TESTER.member}
        help={data !== undefined && items.length === 0 ? TESTER.noMember : undefined}
      >
        <SelectInput
          value={chosen}
          onValue={(member) => state.set({ member })}
          options={[
            ...(items.some(({ id }) => id === chosen)
              ? []
              : [{ value: chosen, label: chosen === '-' ? TESTER.choose : chosen }]),
            ...items.map((member) => ({ value: member.id, label: `${nameOf(member)} (${member.email})` })),
          ]}
        />
      </Field>
    </>
  );
}

function TokenField({ state }: { state: SearchState }) {
  const { data, error, refetch } = useRead<{ items: { id: string; name: string; ending: string }[] }>({
    call: { api: 'signalbox', path: '/tokens', query: { all: true, limit: MOST } },
    topics: ['token', 'service-token'],
  });
  if (error !== null && data === undefined)
    return <ReadProblem error={error} onRetry={() => void refetch()} isPlain />;
  const chosen = state.get('token') ?? '-';
  const items = data?.items ?? [];
  return (
    <Field label={TESTER.token}>
      <SelectInput
        value={chosen}
        onValue={(token) => state.set({ token })}
        options={[
          ...(items.some(({ id }) => id === chosen)
            ? []
            : [{ value: chosen, label: chosen === '-' ? TESTER.choose : chosen }]),
          ...items.map(({ id, name, ending }) => ({ value: id, label: `${name} …${ending}` })),
        ]}
      />
    </Field>
  );
}

function RoleField({ state }: { state: SearchState }) {
  const { data } = useRead<{ items: { key: string; name: string }[] }>({
    call: { api: 'flags', path: '/roles', query: { limit: MOST } },
    topics: ['role'],
  });
  const chosen = state.get('role') ?? '-';
  const items = data?.items ?? [];
  const isListed = chosen.startsWith('@') || items.some(({ key }) => key === chosen);
  return (
    <Field label={TESTER.role}>
      <SelectInput value={chosen} onValue={(role) => state.set({ role })}>
        {!isListed && <option value={chosen}>{chosen === '-' ? TESTER.choose : chosen}</option>}
        <optgroup label={TESTER.baseRoles}>
          {Object.entries(ROLE_NAMES).map(([role, name]) => (
            <option key={role} value={`@${role}`}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label={TESTER.customRoles}>
          {items.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </optgroup>
      </SelectInput>
    </Field>
  );
}
