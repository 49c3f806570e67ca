// The name and address of a user in commits that this server makes. The real address stays private: everybody reads public commits.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { GitPerson } from '../git/objects/commit-object.ts';

/** Mail to it is never delivered: the domain is reserved for examples. */
const DOMAIN = 'users.noreply.signalbox.example';
const ADDRESS = new RegExp(String.raw`^(\d{1,10})\+[^@]+@${DOMAIN.replaceAll('.', String.raw`\.`)}$`, 'i');

export function noreplyAddressOf({ number, username }: { number: number; username: string }): string {
  return `${number}+${username}@${DOMAIN}`;
}

/** The number of the account; its name in the address may be a former one. Undefined for other addresses. */
export function numberInNoreplyAddress(email: string): number | undefined {
  const number = ADDRESS.exec(email)?.[1];
  return number === undefined ? undefined : Number(number);
}

export function personOf(account: Account, time: number): GitPerson {
  const { username, firstName, lastName } = account;
  return {
    name: [firstName, lastName].filter(Boolean).join(' ') || username,
    email: noreplyAddressOf(account),
    time,
    zone: 0,
  };
}
