-- How much of its workspace had changed when a turn was over, for the cards of the board.

alter table executions add column changes json;
