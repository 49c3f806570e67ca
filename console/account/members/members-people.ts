// Reads several e-mail addresses from one text, with names where they stand beside them.
import type { InvitedPerson } from './members-queries.ts';
import { INVITE } from './members-words.ts';

const MAX_PEOPLE = 50;

/** `Ada Byron <ada@example.com>, bob@example.com`, in lines or with commas or semicolons between. */
export function readPeople(text: string): InvitedPerson[] {
  return text
    .split(/[\n,;]+/)
    .flatMap((part) => (part.includes('<') ? [part] : part.split(/\s+/)))
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readPerson);
}

function readPerson(text: string): InvitedPerson {
  const [, name = '', address] = /^([^<]*)<([^>]*)>$/.exec(text) ?? [];
  const [firstName = '', ...rest] = name.trim().replaceAll('"', '').split(/\s+/);
  return { email: (address ?? text).trim(), firstName, lastName: rest.join(' ') };
}

/** Undefined where all can be invited. The server checks the rest. */
export function problemOf(people: readonly InvitedPerson[]): string | undefined {
  if (people.length === 0) return INVITE.noEmail;
  if (people.length > MAX_PEOPLE) return INVITE.tooMany(MAX_PEOPLE);
  const wrong = people.map(({ email }) => email).filter((email) => !/^[^\s@<>]+@[^\s@<>]+$/.test(email));
  if (wrong.length > 0) return INVITE.badEmails(wrong.join(', '));
  const seen = Map.groupBy(people, ({ email }) => email.toLowerCase());
  const twice = [...seen].filter(([, same]) => same.length > 1).map(([email]) => email);
  return twice.length > 0 ? INVITE.twice(twice.join(', ')) : undefined;
}
