// Tells text that can be an e-mail address; only a message to it could prove that it is one.

const EMAIL = /^[^\s@\0]+@[^\s@\0]+$/;

export function isEmail(text: string): boolean {
  return EMAIL.test(text);
}
