// What could be an e-mail address; whether it is one, only a letter to it would tell.

const EMAIL = /^[^\s@\0]+@[^\s@\0]+$/;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}
