// Asks the browser for a passkey, and has what went wrong ready as a sentence.
const SENTENCES = {
  NotAllowedError: "No passkey was used: it was cancelled, or took too long. Try again.",
  InvalidStateError: "This device or key holds a passkey of this account already.",
  SecurityError: "The browser uses no passkeys at this address.",
};

// `asked` is what the server asks, as JSON; the answer is JSON, too. Throws an Error with a sentence.
export async function usePasskey(asked) {
  const asPublicKey = globalThis.PublicKeyCredential;
  if (!asPublicKey?.parseRequestOptionsFromJSON) {
    throw new Error("This browser is too old for passkeys, or uses none here. Use another way.");
  }
  const wish = JSON.parse(asked);
  try {
    const found = wish.user
      ? await navigator.credentials.create({ publicKey: asPublicKey.parseCreationOptionsFromJSON(wish) })
      : await navigator.credentials.get({ publicKey: asPublicKey.parseRequestOptionsFromJSON(wish) });
    return JSON.stringify(found.toJSON());
  } catch (error) {
    throw new Error(SENTENCES[error.name] ?? "The passkey could not be used. Try again, or use another way.");
  }
}
