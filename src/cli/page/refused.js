// Why there is no answer. `reason` is a word for programs, such as "not_a_position", and `message` a text
// for people.
export class Refused extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}
