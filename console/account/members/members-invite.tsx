// Invites people: their addresses, what they may do, and then the links to hand over, which are shown once.
import { useState, type FormEvent } from 'react';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { useMe } from '../../app/me.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextArea, TextInput } from '../../ui/input.tsx';
import { ChoiceList } from './members-choice.tsx';
import { LinksDialog, type ShownLink } from './members-links.tsx';
import { problemOf, readPeople } from './members-people.ts';
import {
  inviteCall,
  isAbove,
  useCustomRoles,
  useTeams,
  type InvitedPerson,
  type InvitedReply,
} from './members-queries.ts';
import { INVITE, LINKS, ROLE_NAMES, ROLE_TEXTS } from './members-words.ts';

const GIVEN_ROLES = ['reader', 'writer', 'admin', 'no_access'];

interface InviteDraft {
  text: string;
  /** By address, where they were typed. */
  names: Record<string, { firstName?: string; lastName?: string }>;
  role: string;
  customRoles: string[];
  teams: string[];
}

const EMPTY: InviteDraft = { text: '', names: {}, role: 'reader', customRoles: [], teams: [] };

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [links, setLinks] = useState<ShownLink[]>();
  if (links !== undefined) return <LinksDialog links={links} onClose={onClose} />;
  return <InviteForm onClose={onClose} onInvited={setLinks} />;
}

interface InviteFormProps {
  onClose: () => void;
  onInvited: (links: ShownLink[]) => void;
}

function InviteForm({ onClose, onInvited }: InviteFormProps) {
  const { value, change, forget } = useDraft('invite', EMPTY);
  const people = peopleIn(value);
  const [isChecked, setChecked] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const problem = problemOf(people);
  const call = inviteCall({ ...value, people });
  useSayDraft(people.length > 0 ? call : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    setError(undefined);
    if (problem !== undefined) return;
    setBusy(true);
    try {
      const { body } = await send<InvitedReply>(call);
      invalidateTopics(['member', 'team']);
      forget();
      onInvited(linksIn(body));
    } catch (failure) {
      setError(failure as ApiError);
      setBusy(false);
    }
  };
  const atEmails = error !== undefined && isAboutEmails(error) ? error.message : undefined;
  return (
    <Dialog
      title={INVITE.title}
      text={INVITE.text}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{INVITE.cancel}</Button>
          <Button type="submit" form="invite" tone="primary" isBusy={isBusy}>
            {INVITE.submit(people.length)}
          </Button>
        </>
      }
    >
      <form id="invite" className="stack stack--24" noValidate onSubmit={(event) => void submit(event)}>
        {error !== undefined && atEmails === undefined && <Refusal error={error} />}
        <Field
          label={INVITE.emails}
          help={INVITE.emailsHelp}
          error={atEmails ?? (isChecked ? problem : undefined)}
        >
          <TextArea
            rows={3}
            data-autofocus
            autoCapitalize="off"
            spellCheck={false}
            value={value.text}
            onBlur={() => setChecked((before) => before || value.text.trim() !== '')}
            onValue={(text) => {
              setError(undefined);
              change({ text });
            }}
          />
        </Field>
        {people.length > 0 && problem === undefined && (
          <Names
            people={people}
            onChange={(email, name) =>
              change({ names: { ...value.names, [email]: { ...value.names[email], ...name } } })
            }
          />
        )}
        <RoleChoice value={value.role} onChange={(role) => change({ role })} />
        <Gifts customRoles={value.customRoles} teams={value.teams} onChange={change} />
      </form>
    </Dialog>
  );
}

/** A name that was typed wins over the one beside the address. */
function peopleIn({ text, names }: InviteDraft): InvitedPerson[] {
  return readPeople(text).map((person) => ({ ...person, ...names[person.email] }));
}

function linksIn({ items }: InvitedReply): ShownLink[] {
  return items.flatMap(({ email, _links: { login } }) =>
    login === undefined ? [] : [{ email, url: login.href, note: LINKS.week }],
  );
}

/** The API names no field for these. */
function isAboutEmails({ code, message }: ApiError): boolean {
  return (
    ['email_already_exists_in_account', 'duplicate_emails'].includes(code) || /e-mail address/.test(message)
  );
}

function Refusal({ error: { message, requestId, fields } }: { error: ApiError }) {
  return (
    <Banner tone="bad">
      {message}
      {fields.map(({ field, message: text }) => (
        <div key={field}>
          <code className="key">{field}</code> {text}
        </div>
      ))}
      {requestId !== undefined && (
        <div className="t12">
          <code className="key">{requestId}</code>
          <CopyButton text={requestId} label={requestId} />
        </div>
      )}
    </Banner>
  );
}

interface NamesProps {
  people: readonly InvitedPerson[];
  onChange: (email: string, name: { firstName?: string; lastName?: string }) => void;
}

function Names({ people, onChange }: NamesProps) {
  return (
    <fieldset className="stack stack--8">
      <legend className="fld__l">
        {INVITE.people} <em className="faint">{INVITE.peopleHelp}</em>
      </legend>
      {people.map(({ email, firstName, lastName }) => (
        <div className="members__name" key={email}>
          <span className="cut t13" title={email}>
            {email}
          </span>
          <TextInput
            aria-label={INVITE.firstName(email)}
            placeholder={INVITE.first}
            maxLength={256}
            autoComplete="off"
            value={firstName}
            onValue={(text) => onChange(email, { firstName: text })}
          />
          <TextInput
            aria-label={INVITE.lastName(email)}
            placeholder={INVITE.last}
            maxLength={256}
            autoComplete="off"
            value={lastName}
            onValue={(text) => onChange(email, { lastName: text })}
          />
        </div>
      ))}
    </fieldset>
  );
}

function RoleChoice({ value, onChange }: { value: string; onChange: (role: string) => void }) {
  const { data: me } = useMe();
  const own = me?.member.role ?? 'owner';
  return (
    <RadioCards
      label={INVITE.role}
      value={value}
      onChange={onChange}
      options={GIVEN_ROLES.map((role) => ({
        value: role,
        label: ROLE_NAMES[role],
        text: ROLE_TEXTS[role],
        disabledReason: isAbove(role, own) ? INVITE.above : undefined,
      }))}
    />
  );
}

interface GiftsProps {
  customRoles: string[];
  teams: string[];
  onChange: (patch: { customRoles?: string[]; teams?: string[] }) => void;
}

function Gifts({ customRoles, teams, onChange }: GiftsProps) {
  const roles = useCustomRoles();
  const all = useTeams();
  return (
    <>
      <ChoiceList
        label={INVITE.customRoles}
        help={INVITE.customHelp}
        given={roles.data}
        chosen={customRoles}
        onChange={(next) => onChange({ customRoles: next })}
      />
      <ChoiceList
        label={INVITE.teams}
        given={all.data}
        chosen={teams}
        onChange={(next) => onChange({ teams: next })}
      />
    </>
  );
}
