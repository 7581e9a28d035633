import { type FormEvent, type ReactNode, useState } from "react";
import { lineText } from "../model/bounded.js";
import { useTexts } from "../texts/texts.js";
import { usePanel } from "./panel-context.js";

/** Asks the user who they are, in the ways that the server takes. */
export function SignIn(): ReactNode {
  const texts = useTexts();
  const { model } = usePanel();
  const { signIn, serverName = texts.thisServer } = model.connection;
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState(signIn?.ways.problem);
  if (signIn === undefined) return null;
  const { ways } = signIn;
  const shown = ways.isRefused === true ? texts.signedOutToken : problem;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() !== "") signIn.withToken(token.trim());
  };
  const redirect = () =>
    void ways
      .redirect?.()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  return (
    <div className="sign-in">
      <h1>{texts.signIn}</h1>
      <p>{texts.signInText(lineText(serverName))}</p>
      {shown !== undefined && (
        <p className="field-error" role="alert">
          {lineText(shown, 1_000)}
        </p>
      )}
      {ways.redirect !== undefined && (
        <button type="button" className="strong" onClick={redirect}>
          {texts.signInWith}
        </button>
      )}
      {ways.token && (
        <form onSubmit={send}>
          <div className="field">
            <label htmlFor="token">{texts.token}</label>
            <input
              id="token"
              type="password"
              autoComplete="off"
              value={token}
              aria-describedby="token-help"
              onChange={(event) => setToken(event.target.value)}
            />
            <p id="token-help" className="muted">
              {texts.tokenHelp}
            </p>
          </div>
          <button type="submit" className={ways.redirect === undefined ? "strong" : undefined}>
            {texts.signIn}
          </button>
        </form>
      )}
    </div>
  );
}
