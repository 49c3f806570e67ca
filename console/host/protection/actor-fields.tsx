// People, teams and apps that a rule names: completed from those who can write.
import type { RepositoryPlace } from '../place.ts';
import { useCollaborators, useRepositoryTeams } from '../settings/access-queries.ts';
import { NamesField } from '../settings/names-field.tsx';
import type { Actors } from './protection.ts';
import { RULE_FORM } from './protection-words.ts';

/** Of all kinds, for one purpose. */
const MOST = 100;

export interface ActorFieldsProps {
  place: RepositoryPlace;
  value: Actors;
  onChange: (value: Actors) => void;
}

export function ActorFields({ place, value, onChange }: ActorFieldsProps) {
  const people = useCollaborators(place, 'all', 'push');
  const teams = useRepositoryTeams(place);
  const count = value.users.length + value.teams.length + value.apps.length;
  const problemOf = () => (count >= MOST ? RULE_FORM.tooMany : undefined);
  const shared = { removeLabel: RULE_FORM.removeName, problemOf };
  return (
    <div className="stack">
      <NamesField
        {...shared}
        label={RULE_FORM.users}
        help={RULE_FORM.namesHelp}
        names={value.users}
        known={people.rows?.map(({ login }) => login)}
        onChange={(users) => onChange({ ...value, users })}
      />
      <NamesField
        {...shared}
        label={RULE_FORM.teams}
        names={value.teams}
        known={teams.rows?.map(({ slug }) => slug)}
        onChange={(names) => onChange({ ...value, teams: names })}
      />
      <NamesField
        {...shared}
        label={RULE_FORM.apps}
        help={RULE_FORM.appsHelp}
        names={value.apps}
        onChange={(apps) => onChange({ ...value, apps })}
      />
    </div>
  );
}
